/** The system's time and timers. */
import type { Clock } from '../../src/ports/clock.ts';

/** A longer delay would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createSystemClock(): Clock {
  return { now: () => Date.now(), after };
}

/** Longer delays are waited for in several timers. */
function after(delayMs: number, fire: () => void): () => void {
  let leftMs = Math.max(0, delayMs);
  let timer: NodeJS.Timeout;
  const arm = () => {
    const partMs = Math.min(leftMs, LONGEST_TIMER_MS);
    leftMs -= partMs;
    timer = setTimeout(() => (leftMs > 0 ? arm() : fire()), partMs);
    timer.unref();
  };
  arm();
  return () => clearTimeout(timer);
}
