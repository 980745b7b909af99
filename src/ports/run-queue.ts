/**
 * The run queue wakes workers; it carries no truth. Which run is next, whether the session is free and whether the lane
 * has room is decided by the store when a worker claims (`RunWrites.claim`).
 *
 * Contract:
 * - `wake` is at-least-once: after it resolved, the handler is called for that lane and session at least once, in this
 *   process or another one that works the lane. Waking twice before the handler began may call it once.
 * - The handler is never called twice at the same time for one session by one process. A wake that arrives while the
 *   handler is busy with that session calls it again afterwards.
 * - When the handler returns, the wake is done: a handler that found the lane full or the session busy simply returns,
 *   because whoever frees the place wakes again. It does not reject; if it does all the same, that is logged and counts as
 *   a return.
 */
import type { SessionKey } from '../core/ids.ts';
import type { Lane } from '../core/run.ts';

export interface Wake {
  readonly lane: Lane;
  readonly sessionKey: SessionKey;
}

export interface RunQueue {
  /** Wakes from before `work` are kept. After `close` it resolves and does nothing: the next start finds the work. */
  wake(wake: Wake): Promise<void>;
  /**
   * Starts calling `handler`; at most `concurrency` handlers at once in this process for each lane. Called once; does
   * nothing after `close`.
   */
  work(lanes: ReadonlyMap<Lane, { concurrency: number }>, handler: (wake: Wake) => Promise<void>): void;
  stats(): Promise<{ readonly waiting: number; readonly active: number }>;
  /**
   * Takes no more wakes, begins no more handlers, waits for those that are running, and releases everything. Idempotent:
   * a second call waits just the same. A wake whose handler had not begun is not lost: the store still holds the work.
   */
  close(): Promise<void>;
}
