/** Waiting for a condition, with a deadline; never for a length of time. */
import { setTimeout as pause } from 'node:timers/promises';

const INTERVAL_MS = 20;

/** Resolves with the first value of `probe` that is neither undefined nor false; rejects when the time is up. */
export async function until<T>(
  probe: () => T | Promise<T>,
  { what, withinMs = 10_000, seen }: { what: string; withinMs?: number; seen?: () => unknown },
): Promise<Exclude<T, undefined | false>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value as Exclude<T, undefined | false>;
    if (performance.now() > deadline) {
      const instead = seen ? `; there was: ${JSON.stringify(await seen(), null, 2)}` : '';
      throw new Error(`waited ${withinMs} ms for ${what}${instead}`);
    }
    await pause(INTERVAL_MS);
  }
}
