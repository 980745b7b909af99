/**
 * The run card: one message per thread-bound run, edited in place. It is plain data; each adapter draws it in its own way.
 */
import type { RunStatus, Usage } from './run.ts';

/** A button is a command in disguise: pressing it sends `command` to the place in `thread` (or where the card is). */
export interface CardAction {
  readonly label: string;
  readonly command: string;
  readonly thread?: string;
  /** The platform id of the only person, apart from owners, who may press it. Absent: anybody. */
  readonly presser?: string;
}

export interface RunCard {
  readonly runId: string;
  readonly agent: string;
  readonly label: string;
  /** What the thread that is opened from it is called; absent: its label. */
  readonly title?: string;
  /** `opening` until the thread exists; afterwards the status of the run. */
  readonly state: 'opening' | RunStatus;
  /** The thread that the run speaks in. */
  readonly thread?: string;
  /** The tool being carried out just now. */
  readonly tool?: string;
  /** Epoch milliseconds. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly usage: Usage;
  /** Subagents of the run that are still at work. */
  readonly activeChildren: number;
  /** Why it did not succeed, in one line. */
  readonly note?: string;
  /** It asks people something, which its buttons answer: the note is the question, and there is no work to show. */
  readonly isQuestion?: boolean;
  readonly actions: readonly CardAction[];
}
