import { describe, expect, test } from 'vitest';
import { formatDuration, parseDuration } from '../../src/core/duration.ts';

describe('durations', () => {
  test.each([
    ['45s', 45_000],
    ['90m', 5_400_000],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
    ['2', 7_200_000],
    ['0.5', 1_800_000],
    [' 2H ', 7_200_000],
    ['off', 0],
    ['OFF', 0],
    ['0', 0],
    ['0s', 0],
    ['0.0', 0],
    ['0.0001s', 1],
  ])('CMD-16: %j is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each([
    '',
    'h',
    '-1h',
    '+1h',
    '1,5h',
    '.5h',
    '1.h',
    '1w',
    '1ms',
    '1 h',
    '1h30m',
    '1e3',
    'never',
    '٣h',
    '9'.repeat(400),
  ])('CMD-16: %j is not a duration', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  test.each([
    [0, '0s'],
    [-5, '0s'],
    [999, '0s'],
    [12_345, '12s'],
    [90_000, '1m 30s'],
    [3_600_000, '1h'],
    [3_605_000, '1h'],
    [93_784_000, '1d 2h'],
  ])('%i ms is shown as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
