/** How long and how often what fails for now is tried again. */
import { expect, test } from 'vitest';
import { retry } from '../../adapters/discord/retry.ts';
import { AppError } from '../../src/errors.ts';
import { createManualClock } from '../fakes/manual-clock.ts';

const PACE = { firstMs: 100, longestMs: 300 };
const away = new AppError('channel-unreachable', 'away');

/** Begins work that always fails so, and counts how often it was tried. */
function begin(error: Error, until?: number) {
  const clock = createManualClock(0);
  const stopping = new AbortController();
  let tries = 0;
  const work = () => {
    tries++;
    return Promise.reject(error);
  };
  const pace = { ...PACE, ...(until !== undefined && { until }) };
  const outcome = retry(work, pace, { clock, signal: stopping.signal }).catch((thrown: unknown) => thrown);
  /** How often it had been tried so long after the start. */
  const triesAfter = async (ms: number) => {
    for (let at = 0; at < ms; at += 100) {
      await flush();
      clock.advance(100);
    }
    await flush();
    return tries;
  };
  return { outcome, triesAfter, stop: () => stopping.abort() };
}

const flush = () => new Promise<void>((resolve) => setImmediate(resolve));

test('pauses double up to the longest', async () => {
  const { triesAfter, stop, outcome } = begin(away);
  expect(await triesAfter(0)).toBe(1);
  expect(await triesAfter(300)).toBe(3);
  expect(await triesAfter(600)).toBe(5);
  stop();
  expect(await outcome).toBe(away);
});

test('what was asked for is waited in any case', async () => {
  const { triesAfter, stop } = begin(new AppError('channel-rate-limited', 'slow', { retryAfterMs: 1_000 }));
  expect(await triesAfter(900)).toBe(1);
  expect(await triesAfter(100)).toBe(2);
  stop();
});

test('it ends with a failure that does not pass, at once', async () => {
  const refused = new AppError('channel-permission-denied', 'no');
  expect(await begin(refused).outcome).toBe(refused);
});

test('a pause that would end too late is not begun', async () => {
  const { triesAfter, outcome } = begin(away, 250);
  expect(await triesAfter(100)).toBe(2);
  expect(await outcome).toBe(away);
});

test('a stop ends a pause, and nothing is tried after it', async () => {
  const { triesAfter, outcome, stop } = begin(away);
  await triesAfter(0);
  stop();
  expect(await outcome).toBe(away);
  expect(await triesAfter(500)).toBe(1);
});
