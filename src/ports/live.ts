/**
 * Lossy signals: text as it is being written, typing, a card's progress, "look at the database". Every one of them may be
 * dropped or doubled without anything becoming wrong, since the truth is in the store; they only make things prompt.
 */
import type { Address } from '../core/address.ts';
import type { RunId, SessionKey } from '../core/ids.ts';

export type LiveEvent =
  /** The run says `text` (all of the step so far, not just the new part) where its reply will go. */
  | { readonly type: 'delta'; readonly runId: RunId; readonly address: Address; readonly text: string }
  /** The session is (or no longer is) working on an answer for that place. */
  | { readonly type: 'typing'; readonly runId: RunId; readonly address: Address; readonly isWorking: boolean }
  /** A message of a person waits for its turn, or no longer does. */
  | {
      readonly type: 'queued';
      readonly address: Address;
      readonly eventId: string;
      readonly isQueued: boolean;
    }
  /** Something that a run card shows has changed; `tool` is the tool now being carried out. */
  | { readonly type: 'progress'; readonly runId: RunId; readonly tool?: string }
  /** Cancellation was requested in the store: whoever executes the run should look. */
  | { readonly type: 'cancel'; readonly runId: RunId }
  /** Operations were added for that account. */
  | { readonly type: 'operations'; readonly channel: string; readonly account: string }
  /** A binding of that place to that session began, changed or ended. */
  | { readonly type: 'binding'; readonly address: Address; readonly sessionKey: SessionKey }
  /** The run has ended or has begun to wait. */
  | { readonly type: 'settled'; readonly runId: RunId; readonly sessionKey: SessionKey };

export interface Live {
  publish(event: LiveEvent): void;
  /** Handlers are called in the order of publishing and must not throw. Returns the way to stop listening. */
  subscribe(handler: (event: LiveEvent) => void): () => void;
}
