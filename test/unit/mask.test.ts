import { expect, test } from 'vitest';
import { createMask } from '../../src/core/mask.ts';

const SECRET = 'sk-abcdefgh12345678';

test('S1, S4: own secrets are taken out of what is said, and nothing else is changed', () => {
  const mask = createMask([SECRET, 'short']);
  expect(mask.text(`the key is ${SECRET}, twice ${SECRET}.`)).toBe(
    'the key is [redacted], twice [redacted].',
  );
  expect(mask.text('a short text with sk-other-key')).toBe('a short text with sk-other-key');
});

test('a text that is still being written never shows the beginning of a secret', () => {
  const mask = createMask([SECRET]);
  for (let shown = 4; shown < SECRET.length; shown++) {
    expect(mask.unfinished(`it is ${SECRET.slice(0, shown)}`)).toBe('it is ');
  }
  expect(mask.unfinished(`it is ${SECRET}`)).toBe('it is [redacted]');
  expect(mask.unfinished('it is over')).toBe('it is over');
});

test('in a value that came as JSON each text is looked at, however deep, and nothing else is changed', () => {
  const mask = createMask([SECRET]);
  const value = { label: SECRET, n: 3, list: [`a ${SECRET}`, null, { deep: SECRET }], is: true };
  expect(mask.json(value)).toEqual({
    label: '[redacted]',
    n: 3,
    list: ['a [redacted]', null, { deep: '[redacted]' }],
    is: true,
  });
});
