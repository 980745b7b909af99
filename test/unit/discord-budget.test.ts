import { expect, test } from 'vitest';
import { createRequestBudget } from '../../adapters/discord/request-budget.ts';
import { restOptions } from '../../adapters/discord/rest.ts';
import { createManualClock } from '../fakes/manual-clock.ts';

const MINUTE = 60_000;

test('signs of work stop after 1,000 refused requests in ten minutes, everything is put off after 8,000', () => {
  const clock = createManualClock();
  const budget = createRequestBudget(clock);
  const refuse = (count: number) => {
    for (let i = 0; i < count; i++) budget.note([401, 403, 429][i % 3]!, 'user');
  };
  refuse(999);
  expect(budget.waitMs(true)).toBe(0);
  clock.advance(MINUTE);
  refuse(1);
  expect(budget.waitMs(true)).toBe(9 * MINUTE);
  expect(budget.waitMs(false)).toBe(0);
  refuse(7_000);
  expect(budget.waitMs(false)).toBe(9 * MINUTE);
  clock.advance(10 * MINUTE);
  expect(budget.waitMs(false)).toBe(0);
  expect(budget.waitMs(true)).toBe(0);
});

test('limits shared with others, and other answers, do not count', () => {
  const budget = createRequestBudget(createManualClock());
  for (let i = 0; i < 9_000; i++) budget.note(429, 'shared');
  for (const status of [200, 204, 400, 404, 500]) for (let i = 0; i < 2_000; i++) budget.note(status, null);
  expect(budget.waitMs(true)).toBe(0);
});

test('short limits are waited for, longer ones come back', () => {
  const { rejectOnRateLimit, retries, api } = restOptions('http://127.0.0.1:1/api/');
  const limit = { timeToReset: 0, retryAfter: 0, sublimitTimeout: 0 };
  const gives = (changed: Partial<typeof limit>) =>
    typeof rejectOnRateLimit === 'function' &&
    rejectOnRateLimit({ ...limit, ...changed } as Parameters<typeof rejectOnRateLimit>[0]);
  expect([retries, api]).toEqual([0, 'http://127.0.0.1:1/api']);
  expect(gives({ timeToReset: 10_000 })).toBe(false);
  for (const name of ['timeToReset', 'retryAfter', 'sublimitTimeout'])
    expect(gives({ [name]: 10_001 })).toBe(true);
});
