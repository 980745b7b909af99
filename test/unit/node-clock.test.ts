import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSystemClock } from '../../adapters/node/index.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const DAY_MS = 86_400_000;

test('a timer longer than 24 days fires at its time and not before', () => {
  const fire = vi.fn();
  createSystemClock().after(60 * DAY_MS, fire);
  vi.advanceTimersByTime(60 * DAY_MS - 1);
  expect(fire).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(fire).toHaveBeenCalledOnce();
});

test('a cancelled timer never fires, also in its second stretch; cancelling again does nothing', () => {
  const fire = vi.fn();
  const cancel = createSystemClock().after(60 * DAY_MS, fire);
  vi.advanceTimersByTime(40 * DAY_MS);
  cancel();
  cancel();
  vi.advanceTimersByTime(40 * DAY_MS);
  expect(fire).not.toHaveBeenCalled();
});

test('a negative delay fires at the next turn', () => {
  const fire = vi.fn();
  createSystemClock().after(-5, fire);
  vi.advanceTimersByTime(1);
  expect(fire).toHaveBeenCalledOnce();
});
