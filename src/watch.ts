/**
 * Watches for what other processes commit to the store, so that they need no other way to call each other: a gateway sees
 * what a worker left in the outbox, a worker sees new runs and cancellations.
 */
import { asError } from './errors.ts';
import type { Clock } from './ports/clock.ts';
import type { Log } from './ports/log.ts';
import type { Store } from './ports/store/index.ts';
import { type Repetition, repeatEvery } from './repeat.ts';

/** How soon a commit of another process is noticed. */
const INTERVAL_MS = 50;

/** `look` is called after others have committed, never twice at once; a commit meanwhile makes it look again. */
export function createWatch(store: Store, look: () => Promise<void>, clock: Clock, log: Log): Repetition {
  let seen = store.externalVersion();
  return repeatEvery(
    INTERVAL_MS,
    async () => {
      try {
        const version = store.externalVersion();
        if (version === seen) return;
        seen = version;
        await look();
      } catch (thrown) {
        const error = asError(thrown).message;
        log.warn({ error }, 'a look at what others did failed; the sweeper will repeat it');
      }
    },
    clock,
  );
}
