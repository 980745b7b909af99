/**
 * A commit: one store transaction and the signals that follow from it. Signals are gathered while the transaction is made
 * and given only after it has committed, so nobody is ever woken for something that was rolled back.
 */
import type { SessionKey } from './core/ids.ts';
import type { Lane } from './core/run.ts';
import { asError } from './errors.ts';
import type { Live, LiveEvent } from './ports/live.ts';
import type { Log } from './ports/log.ts';
import type { RunQueue } from './ports/run-queue.ts';
import type { Store, StoreTx } from './ports/store/index.ts';

export interface AfterCommit {
  wake(lane: Lane, sessionKey: SessionKey): void;
  publish(event: LiveEvent): void;
}

/** `fn` may be run again from the start; see `Store.transaction`. */
export type Commit = <T>(fn: (tx: StoreTx, after: AfterCommit) => Promise<T>) => Promise<T>;

export function createCommit(store: Store, queue: RunQueue, live: Live, log: Log): Commit {
  return async (fn) => {
    let signals: (() => void)[] = [];
    const result = await store.transaction((tx) => {
      const gathered: (() => void)[] = [];
      signals = gathered;
      return fn(tx, {
        wake: (lane, sessionKey) => gathered.push(() => wake(queue, log, lane, sessionKey)),
        publish: (event) => gathered.push(() => live.publish(event)),
      });
    });
    for (const give of signals) give();
    return result;
  };
}

/** A wake that fails loses nothing: the sweeper wakes whatever could be claimed. */
function wake(queue: RunQueue, log: Log, lane: Lane, sessionKey: SessionKey): void {
  queue.wake({ lane, sessionKey }).catch((thrown: unknown) => {
    log.warn({ lane, sessionKey, error: asError(thrown).message }, 'wake failed; the sweeper will repeat it');
  });
}
