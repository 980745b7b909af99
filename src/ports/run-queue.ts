/**
 * The run queue wakes workers; it carries no truth. Which run is next, whether the session is free and whether the lane
 * has room is decided by the store when a worker claims (`RunWrites.claim`).
 *
 * Contract:
 * - `wake` is at-least-once: after it resolved, the handler is called for that lane and session at least once, in this
 *   process or another one that works the lane. Waking twice before the handler began may call it once.
 * - The handler is never called twice at the same time for one session by one process. A wake that arrives while the
 *   handler is busy with that session calls it again afterwards.
 * - The handler never rejects. When it returns, the wake is done: a handler that found the lane full or the session busy
 *   simply returns, because whoever frees the place wakes again.
 */
import type { SessionKey } from '../core/ids.ts';
import type { Lane } from '../core/run.ts';

export interface Wake {
  readonly lane: Lane;
  readonly sessionKey: SessionKey;
}

export interface RunQueue {
  wake(wake: Wake): Promise<void>;
  /** Starts calling `handler`; at most `concurrency` handlers at once in this process for each lane. */
  work(lanes: ReadonlyMap<Lane, { concurrency: number }>, handler: (wake: Wake) => Promise<void>): void;
  stats(): Promise<{ readonly waiting: number; readonly active: number }>;
  /** Takes no more wakes, waits for handlers that are running, and releases everything. Idempotent. */
  close(): Promise<void>;
}
