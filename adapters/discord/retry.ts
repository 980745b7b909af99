/** Work that fails for now is done again after growing pauses; what Discord asks to wait is waited in any case. */
import { AppError } from '../../src/errors.ts';
import { type Clock, sleep } from '../../src/ports/clock.ts';

export interface Pace {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Epoch milliseconds: a pause that would end later is not begun. Absent: there is no end to it. */
  readonly until?: number;
}

interface Retrying {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told of every failure that is waited out. */
  readonly onPause?: (error: AppError) => void;
}

/** Whether it may go well another time. */
export function isPassing(thrown: unknown): thrown is AppError {
  return thrown instanceof AppError && thrown.isRetryable;
}

/** Rejects with the last failure: one that does not pass, or any once the time is over or everything stops. */
export async function retry<T>(
  work: () => Promise<T>,
  { firstMs, longestMs, until = Number.POSITIVE_INFINITY }: Pace,
  { clock, signal, onPause }: Retrying,
): Promise<T> {
  for (let pauseMs = firstMs; ; pauseMs = Math.min(pauseMs * 2, longestMs)) {
    try {
      return await work();
    } catch (thrown) {
      if (!isPassing(thrown)) throw thrown;
      const waitMs = Math.max(thrown.retryAfterMs ?? 0, pauseMs);
      if (signal.aborted || clock.now() + waitMs > until) throw thrown;
      onPause?.(thrown);
      await sleep(clock, waitMs, signal);
      if (signal.aborted) throw thrown;
    }
  }
}
