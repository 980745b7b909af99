/**
 * The sweeper: the one place where time makes something happen. It looks at stored times and carries out what is due; each
 * of its tasks is a compare-and-set, so that any number of processes may sweep. A task that fails is tried again.
 */
import { asError } from './errors.ts';
import type { Clock } from './ports/clock.ts';
import type { Log } from './ports/log.ts';

const INTERVAL_MS = 500;

export interface Sweep {
  readonly name: string;
  run(): Promise<void>;
}

export interface Sweeper {
  start(): void;
  /** Waits for a sweep under way. */
  stop(): Promise<void>;
}

export function createSweeper(sweeps: readonly Sweep[], clock: Clock, log: Log): Sweeper {
  let cancel: (() => void) | undefined;
  let isStopped = false;
  let underWay: Promise<void> = Promise.resolve();

  async function sweepAll(): Promise<void> {
    for (const sweep of sweeps) {
      if (isStopped) return;
      try {
        await sweep.run();
      } catch (thrown) {
        log.error(
          { sweep: sweep.name, error: asError(thrown).message },
          'a sweep failed; it will be repeated',
        );
      }
    }
  }

  function schedule(): void {
    cancel = clock.after(INTERVAL_MS, () => {
      underWay = sweepAll().then(() => {
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
