/** Time, as seen by everything above the adapters. All times are epoch milliseconds, all durations milliseconds. */
export interface Clock {
  now(): number;
  /**
   * Calls `fire` once after `delayMs`, also when that is beyond the 32-bit timer limit. Returns a function that cancels
   * it; cancelling twice, or after it fired, does nothing. A pending timer does not keep the process alive.
   */
  after(delayMs: number, fire: () => void): () => void;
}

/** Resolves after `delayMs`, or as soon as `signal` aborts (never rejects). */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
