/** Does something over and over, with a pause after each time, until it is stopped. */
import type { Clock } from './ports/clock.ts';

export interface Repetition {
  start(): void;
  /** Waits for what is under way; nothing is done afterwards. */
  stop(): Promise<void>;
}

/** `task` must not reject; it is told to stop early by `isStopped`. */
export function repeatEvery(
  intervalMs: number,
  task: (isStopped: () => boolean) => Promise<void>,
  clock: Clock,
): Repetition {
  let cancel: (() => void) | undefined;
  let hasStopped = false;
  let underWay: Promise<void> = Promise.resolve();

  function schedule(): void {
    cancel = clock.after(intervalMs, () => {
      underWay = task(() => hasStopped).then(() => {
        if (!hasStopped) schedule();
      });
    });
  }

  return {
    start: schedule,
    async stop() {
      hasStopped = true;
      cancel?.();
      await underWay;
    },
  };
}
