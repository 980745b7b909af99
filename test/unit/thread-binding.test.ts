import { describe, expect, test } from 'vitest';
import type { Actor } from '../../src/core/message.ts';
import { expiryOf, mayControl, timeLeft } from '../../src/core/thread-binding.ts';

const HOUR = 3_600_000;
const binding = (idleMs: number, maxAgeMs: number, lastActivityAt = 0) => ({
  boundAt: 0,
  lastActivityAt,
  idleMs,
  maxAgeMs,
});

describe('when a binding ends', () => {
  test.each([
    [
      'the idle limit after the last activity',
      binding(24 * HOUR, 0, 5 * HOUR),
      { at: 29 * HOUR, reason: 'idle' },
    ],
    [
      'the age limit whatever the activity',
      binding(0, 48 * HOUR, 47 * HOUR),
      { at: 48 * HOUR, reason: 'max-age' },
    ],
    ['the nearer limit: idle', binding(HOUR, 48 * HOUR, 2 * HOUR), { at: 3 * HOUR, reason: 'idle' }],
    ['the nearer limit: age', binding(24 * HOUR, 25 * HOUR, 20 * HOUR), { at: 25 * HOUR, reason: 'max-age' }],
    ['idle, when both fall together', binding(HOUR, HOUR), { at: HOUR, reason: 'idle' }],
    [
      'the last valid date for a limit beyond it',
      binding(Number.MAX_SAFE_INTEGER, 0),
      { at: 8.64e15, reason: 'idle' },
    ],
  ] as const)('BIND-05: %s', (_name, limits, expected) => {
    expect(expiryOf(limits)).toEqual(expected);
  });

  test('BIND-06: a limit of zero is off, and both off means never', () => {
    expect(expiryOf(binding(0, 0))).toBeUndefined();
    expect(timeLeft(binding(0, 0), 10 * HOUR)).toEqual({});
  });

  test('T1: a thread in steady use outlives its idle limit many times over', () => {
    for (let at = 0; at <= 240 * HOUR; at += 20 * HOUR) {
      expect(expiryOf(binding(24 * HOUR, 0, at))!.at).toBe(at + 24 * HOUR);
    }
  });

  test.each([
    [
      'before either limit',
      binding(2 * HOUR, 5 * HOUR, HOUR),
      HOUR,
      { idleLeftMs: 2 * HOUR, maxAgeLeftMs: 4 * HOUR },
    ],
    ['past the limits', binding(HOUR, HOUR), 9 * HOUR, { idleLeftMs: 0, maxAgeLeftMs: 0 }],
    ['with one limit', binding(0, HOUR), 0, { maxAgeLeftMs: HOUR }],
    ['with a limit beyond the last date', binding(Number.MAX_SAFE_INTEGER, 0), 0, { idleLeftMs: 8.64e15 }],
  ])('the time left is told %s', (_name, limits, now, expected) => {
    expect(timeLeft(limits, now)).toEqual(expected);
  });
});

describe('who may change a binding', () => {
  const actor = (id: string, role: Actor['role'] = 'user', channel = 'discord'): Actor => ({
    channel,
    id,
    name: `name of ${id}`,
    role,
  });
  test.each([
    ['the person who bound it', actor('1'), true],
    ['an owner', actor('2', 'owner'), true],
    ['an owner on another platform', actor('2', 'owner', 'slack'), true],
    ['somebody else', actor('2'), false],
    ['the same id on another platform', actor('1', 'user', 'slack'), false],
  ])('BIND-17: %s', (_name, who, expected) => {
    expect(mayControl({ boundBy: actor('1') }, who)).toBe(expected);
  });
});
