/** A clock that stands still until it is told to go on; timers fire in the order of their times. */
import type { Clock } from '../../src/ports/clock.ts';

export interface ManualClock extends Clock {
  /** Moves on by `ms`, firing what is due on the way, each timer at its own time. */
  advance(ms: number): void;
}

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

export function createManualClock(startAt = Date.UTC(2026, 0, 5, 12)): ManualClock {
  let now = startAt;
  const timers = new Set<Timer>();

  function nextDue(end: number): Timer | undefined {
    const due = [...timers].filter((timer) => timer.at <= end);
    return due.sort((a, b) => a.at - b.at)[0];
  }

  return {
    now: () => now,
    after(delayMs, fire) {
      const timer = { at: now + Math.max(0, delayMs), fire };
      timers.add(timer);
      // What is due at once waits for nobody to move the clock.
      if (delayMs <= 0)
        queueMicrotask(() => {
          if (timers.delete(timer)) fire();
        });
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const end = now + ms;
      for (let timer = nextDue(end); timer; timer = nextDue(end)) {
        timers.delete(timer);
        now = Math.max(now, timer.at);
        timer.fire();
      }
      now = end;
    },
  };
}
