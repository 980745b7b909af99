/** A manual clock whose wall time can be set without its timers noticing, as a system's clock is set. */
import { createManualClock, type ManualClock } from './manual-clock.ts';

export interface SteppingClock extends ManualClock {
  /** Sets the wall time forward, or back. */
  step(ms: number): void;
}

export function createSteppingClock(): SteppingClock {
  const clock = createManualClock();
  let offsetMs = 0;
  return {
    ...clock,
    now: () => clock.now() + offsetMs,
    step(ms) {
      offsetMs += ms;
    },
  };
}
