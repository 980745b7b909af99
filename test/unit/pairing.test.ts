import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSystemIds } from '../../adapters/node/index.ts';
import { decideAsk, MOST_PENDING, pairingCode, readCode } from '../../src/core/pairing.ts';

test('a code is eight characters that nobody takes for another', () => {
  const ids = createSystemIds();
  const codes = Array.from({ length: 200 }, () => pairingCode(ids.secret()));
  for (const code of codes) expect(code).toMatch(/^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/);
  expect(new Set(codes).size).toBe(200);
  expect(new Set(codes.join('')).size).toBe(33);
});

test('a code is read however it is typed', () => {
  const typed = fc.constantFrom('abcd-2345', 'ABCD2345', ' abcd 2345 ', '"ABCD-2345"', '`ABCD–2345`');
  fc.assert(fc.property(typed, (text) => readCode(text) === 'ABCD-2345'));
});

test.each([
  ['nothing known', undefined, 0, 'new-code'],
  ['as many wait as may', undefined, MOST_PENDING, 'full'],
  ['waiting already', { status: 'pending', expiresAt: 101 }, 1, 'told-before'],
  [
    'waiting already, among as many as may',
    { status: 'pending', expiresAt: 101 },
    MOST_PENDING,
    'told-before',
  ],
  ['its code has run out', { status: 'pending', expiresAt: 100 }, 0, 'new-code'],
] as const)('a stranger, %s', (_name, earlier, pending, expected) => {
  expect(decideAsk(earlier, pending, 100)).toBe(expected);
});
