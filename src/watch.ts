/**
 * Watches for what other processes commit to the store, so that they need no other way to call each other: a gateway sees
 * what a worker left in the outbox, a worker sees new runs and cancellations.
 */
import { asError } from './errors.ts';
import type { Clock } from './ports/clock.ts';
import type { Log } from './ports/log.ts';
import type { Store } from './ports/store/index.ts';

/** How soon a commit of another process is noticed. */
const INTERVAL_MS = 50;

export interface Watch {
  start(): void;
  /** Waits for a look under way. */
  stop(): Promise<void>;
}

/** `look` is called after others have committed, never twice at once; a commit meanwhile makes it look again. */
export function createWatch(store: Store, look: () => Promise<void>, clock: Clock, log: Log): Watch {
  let seen = store.externalVersion();
  let cancel: (() => void) | undefined;
  let isStopped = false;
  let underWay: Promise<void> = Promise.resolve();

  async function lookIfChanged(): Promise<void> {
    const version = store.externalVersion();
    if (version === seen) return;
    seen = version;
    try {
      await look();
    } catch (thrown) {
      log.warn(
        { error: asError(thrown).message },
        'a look at what others did failed; the sweeper will repeat it',
      );
    }
  }

  function schedule(): void {
    cancel = clock.after(INTERVAL_MS, () => {
      underWay = lookIfChanged().then(() => {
        if (!isStopped) schedule();
      });
    });
  }

  return {
    start: schedule,
    async stop() {
      isStopped = true;
      cancel?.();
      await underWay;
    },
  };
}
