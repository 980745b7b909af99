import { afterEach, expect, test, vi } from 'vitest';
import { createSystemIds } from '../../adapters/node/index.ts';

afterEach(() => vi.useRealTimers());

test('ids are UUIDs of version 7', () => {
  expect(createSystemIds().uuid()).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test('ids sort in the order in which they were made, many in one millisecond and with the clock set back', () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  const ids = createSystemIds();
  const made = Array.from({ length: 10_000 }, () => ids.uuid());
  vi.setSystemTime(1_700_000_000_000);
  made.push(ids.uuid());
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
});

test('secrets have 256 bits and are all different', () => {
  const ids = createSystemIds();
  expect(ids.secret()).toMatch(/^[\w-]{43}$/);
  expect(ids.secret()).not.toBe(ids.secret());
});
