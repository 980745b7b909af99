import type { OperationId, RunId, SessionKey } from '../../core/ids.ts';
import type { EndedStatus, Origin } from '../../core/run.ts';

/**
 * The obligation to tell the requester how a subagent's run ended; made in the transaction that ends the run.
 *
 *   handed (an input of the requester) → delivering (its reply, or our own text, is an operation) → delivered
 *                                      → suppressed (silence was asked for, or the requester took it in without a word)
 *                                                                                                 → undelivered
 */
export type AnnounceStatus = 'handed' | 'delivering' | 'delivered' | 'suppressed' | 'undelivered';

export interface Announce {
  /** The run that ended: there is one announce for each. */
  readonly runId: RunId;
  readonly childKey: SessionKey;
  /** Who is told; the nearest living ancestor when the requester is gone. */
  readonly requesterKey: SessionKey;
  /** Frozen at spawn. */
  readonly origin: Origin;
  readonly outcome: EndedStatus;
  readonly status: AnnounceStatus;
  readonly operation?: OperationId;
  readonly reason?: string;
  readonly createdAt: number;
  readonly endedAt?: number;
}
export type NewAnnounce = Omit<Announce, 'createdAt' | 'endedAt'>;

export interface AnnounceReads {
  get(run: RunId): Promise<Announce | undefined>;
}

export interface AnnounceWrites extends AnnounceReads {
  /** One announce a run: a second insert is left out and returns false. */
  insert(announce: NewAnnounce, now: number): Promise<boolean>;
  /** Compare-and-set on the status. `endedAt` is set on the last three statuses. */
  move(
    run: RunId,
    from: readonly AnnounceStatus[],
    to: { readonly status: AnnounceStatus; readonly operation?: OperationId; readonly reason?: string },
    now: number,
  ): Promise<boolean>;
}
