/** `expect.poll` with a deadline that also holds on a busy machine. */
import { expect } from 'vitest';

export const eventually = <T>(probe: () => T | Promise<T>, timeout = 10_000) =>
  expect.poll(probe, { timeout, interval: 5 });
