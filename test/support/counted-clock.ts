/** Any clock, with a count of the timers that have neither fired nor been cancelled: what a clean stop leaves at 0. */
import type { Clock } from '../../src/ports/clock.ts';

export interface CountedClock extends Clock {
  pending(): number;
}

export function countTimers(clock: Clock): CountedClock {
  const open = new Set<object>();
  return {
    now: () => clock.now(),
    after(delayMs, fire) {
      const timer = {};
      open.add(timer);
      const cancel = clock.after(delayMs, () => {
        open.delete(timer);
        fire();
      });
      return () => {
        open.delete(timer);
        cancel();
      };
    },
    pending: () => open.size,
  };
}
