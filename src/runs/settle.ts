/**
 * The end of a run, in one transaction: its status, its reply as operations, what follows for others (`onRunEnd`), and the
 * wake of whoever is next. A run that still has something to take in, or to wait for, does not end.
 */

import type { AfterCommit } from '../commit.ts';
import { failureReply } from '../core/failure-text.ts';
import type { OperationId, RunId } from '../core/ids.ts';
import { type EndedStatus, isActive, type Outcome, type RunStatus, type Usage } from '../core/run.ts';
import { readReply } from '../core/silence.ts';
import type { ChannelDirectory } from '../delivery/directory.ts';
import type { Ids } from '../ports/ids.ts';
import type { Input, Run, Session, StoreTx } from '../ports/store/index.ts';
import { laneOf, passOn } from './enqueue.ts';
import { interruptedNote } from './interrupted-note.ts';
import { replyOperations } from './reply-operations.ts';

/** What became of the run's words. */
export type Spoken =
  /** Posted; `operation` is the last part. */
  | { readonly kind: 'posted'; readonly operation: OperationId }
  /** It asked for silence, or had nothing to say. */
  | { readonly kind: 'silent' }
  /** Kept in the transcript, since nobody reads this run's replies. */
  | { readonly kind: 'internal' };

export interface EndedRun {
  readonly run: Run;
  readonly session: Session;
  readonly status: EndedStatus;
  readonly outcome: Outcome;
  readonly endedAt: number;
  readonly usage: Usage;
  readonly spoken: Spoken;
  /** Runs of subagents whose completions this run took in. */
  readonly completions: readonly RunId[];
}

/** What else follows from the end of a run, in the same transaction. */
export type OnRunEnd = (tx: StoreTx, after: AfterCommit, ended: EndedRun) => Promise<void>;

export interface RunEnd {
  readonly status: EndedStatus;
  readonly outcome: Outcome;
  readonly usage: Usage;
}

export interface Settlement {
  /**
   * Ends the run if its status is one of `from` and, where given, its fence still holds. Returns whether it did.
   */
  end(
    tx: StoreTx,
    after: AfterCommit,
    run: Run,
    expected: { from: readonly RunStatus[]; fence?: number },
    end: RunEnd,
    now: number,
  ): Promise<boolean>;
}

/** What stands for a reply that asked for no silence and yet has no words. */
export const NO_OUTPUT = '(no output)';

export function createSettlement(directory: ChannelDirectory, ids: Ids, onRunEnd: OnRunEnd): Settlement {
  return {
    async end(tx, after, run, expected, end, now) {
      const isEnded = await tx.runs.end(run.id, expected, { ...end, endedAt: now });
      if (!isEnded) return false;
      // Whoever stopped a run was told that what waited for it is gone.
      if (end.status !== 'cancelled') await passOn(tx, ids, run, now);
      const session = (await tx.sessions.get(run.sessionKey))!;
      const inputs = await tx.inputs.ofRun(run.id);
      const completions = inputs.flatMap((input) =>
        input.provenance.kind === 'completion' && input.provenance.sourceRun !== undefined
          ? [input.provenance.sourceRun as RunId]
          : [],
      );
      const isAnnouncement = run.trigger === 'completion' && !inputs.some(isFromPerson);
      const spoken = await speak(
        tx,
        after,
        directory,
        { run, session, end, inputs, completions, isAnnouncement },
        now,
      );
      await tx.sessions.update(session.key, { hasAbortedLastRun: end.status === 'cancelled' }, now);
      await onRunEnd(tx, after, { run, session, ...end, endedAt: now, spoken, completions });
      after.publish({ type: 'settled', runId: run.id, sessionKey: session.key });
      if ((await tx.runs.active(session.key)).some((next) => next.status === 'queued')) {
        after.wake(laneOf(session), session.key);
      }
      return true;
    },
  };
}

/** Also when it stands for several that were condensed. */
function isFromPerson({ id, provenance }: Input): boolean {
  return provenance.kind === 'user' || id.startsWith('message:');
}

interface Speech {
  readonly run: Run;
  readonly session: Session;
  readonly end: RunEnd;
  readonly inputs: readonly Input[];
  readonly completions: readonly RunId[];
  /** Nobody's message joined it: it owes results to people, and no answer. */
  readonly isAnnouncement: boolean;
}

/** The words with which a run ends; `undefined` for silence. */
function lastWords({ run, end, isAnnouncement }: Speech): string | undefined {
  if (end.status === 'succeeded') {
    const reply = readReply(end.outcome.text);
    const words = [run.partialReply, reply.kind === 'text' ? reply.text : ''].filter((text) => text !== '');
    if (words.length > 0) return words.join('\n\n');
    const isWordless = reply.kind === 'text' && !isAnnouncement;
    return isWordless ? NO_OUTPUT : undefined;
  }
  if (end.status === 'cancelled') return run.partialReply || undefined;
  // A failed announcement turn is no answer to anybody: the result itself is posted instead.
  if (isAnnouncement) return run.partialReply || undefined;
  const failure = failureReply(end.outcome.error?.code ?? end.status);
  return run.partialReply ? `${run.partialReply}\n\n${failure}` : failure;
}

async function speak(
  tx: StoreTx,
  after: AfterCommit,
  directory: ChannelDirectory,
  speech: Speech,
  now: number,
): Promise<Spoken> {
  const { run, session, end, inputs, completions, isAnnouncement } = speech;
  const { delivery } = run.origin;
  if (delivery.kind === 'internal') return { kind: 'internal' };
  const { address } = delivery;
  const isNoted = end.status === 'interrupted' && !isAnnouncement;
  // What was answered before the step that kept failing is an answer all the same.
  const words = isNoted ? run.partialReply || undefined : lastWords(speech);
  const operations =
    words === undefined
      ? []
      : replyOperations(directory, { run: run.id, address, words, inputs, completions });
  if (isNoted) {
    const { usage } = end;
    operations.push(await interruptedNote(tx, { run, session, address, usage, now }));
  }
  const last = operations.at(-1);
  if (!last) return { kind: 'silent' };
  await tx.operations.insert(operations, now);
  after.publish({ type: 'operations', channel: address.channel, account: address.account });
  return { kind: 'posted', operation: last.id };
}

/** Active children of the session that will still be announced to it. */
export async function activeChildren(tx: StoreTx, session: Pick<Session, 'key'>): Promise<readonly Run[]> {
  const found: Run[] = [];
  for (const child of await tx.sessions.children(session.key)) {
    if (child.archivedAt !== undefined) continue;
    const runs = await tx.runs.active(child.key);
    found.push(...runs.filter((run) => run.origin.announceTo !== undefined && isActive(run.status)));
  }
  return found;
}
