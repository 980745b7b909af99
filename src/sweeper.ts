/**
 * The sweeper: the one place where time makes something happen. It looks at stored times and carries out what is due; each
 * of its tasks is a compare-and-set, so that any number of processes may sweep. A task that fails is tried again.
 */
import { asError } from './errors.ts';
import type { Clock } from './ports/clock.ts';
import type { Log } from './ports/log.ts';
import { type Repetition, repeatEvery } from './repeat.ts';

const INTERVAL_MS = 500;

export interface Sweep {
  readonly name: string;
  run(): Promise<void>;
}

export function createSweeper(sweeps: readonly Sweep[], clock: Clock, log: Log): Repetition {
  return repeatEvery(
    INTERVAL_MS,
    async (isStopped) => {
      for (const { name, run } of sweeps) {
        if (isStopped()) return;
        try {
          await run();
        } catch (thrown) {
          log.error({ sweep: name, error: asError(thrown).message }, 'a sweep failed; it will be repeated');
        }
      }
    },
    clock,
  );
}
