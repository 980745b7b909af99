import { expect, test } from 'vitest';
import { addUsage, isActive, NO_USAGE, RUN_STATUSES } from '../../src/core/run.ts';

test('a run that is queued, running or waiting is active, and no other is', () => {
  expect(RUN_STATUSES.filter(isActive)).toEqual(['queued', 'running', 'waiting']);
});

test('usage adds up, and starts from nothing', () => {
  const usage = { inputTokens: 10, outputTokens: 3, cachedTokens: 4 };
  expect(addUsage(NO_USAGE, usage)).toEqual(usage);
  expect(addUsage(usage, usage)).toEqual({ inputTokens: 20, outputTokens: 6, cachedTokens: 8 });
});
