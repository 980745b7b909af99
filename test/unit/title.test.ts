import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shorten } from '../../src/core/shorten.ts';
import { messageTitle, threadTitle } from '../../src/core/title.ts';

const redact = (text: string) => text.replaceAll(/sk-\w+/g, '[redacted]');
const title = (label: string | undefined, task = '', max = 100) => threadTitle(label, task, max, redact);

describe('threadTitle', () => {
  test.each([
    ['a label', 'Tidy the log', 'ignored', 'Tidy the log'],
    ['the task where there is no label', undefined, 'Find the\n  slow query', 'Find the slow query'],
    ['the task where the label is blank', ' \n\t ', 'Find it', 'Find it'],
    ['the task where the label has nothing to read', '///', 'Find it', 'Find it'],
    ['a fixed word where nothing can be read', '///', ' \u200b\u202e\n', 'Subagent'],
    ['Korean', '어제 저녁 요약', '', '어제 저녁 요약'],
    ['right-to-left text', 'تلخيص السجل', '', 'تلخيص السجل'],
    ['an emoji alone', '🚀', '', '🚀'],
  ])('F6: is %s', (_name, label, task, expected) => {
    expect(title(label, task)).toBe(expected);
  });

  test('F6: a label of 101 characters is cut to 100', () => {
    expect(title('a'.repeat(100))).toBe('a'.repeat(100));
    expect(title('a'.repeat(101))).toBe(`${'a'.repeat(99)}…`);
  });

  test.each(['😀', '👩‍👩‍👧‍👦', '🇨🇭', 'e\u0301'])(
    'F6: 99 characters and %s are not cut inside the last one',
    (character) => {
      const text = `${'a'.repeat(99)}${character}b`;
      expect(title(text)).toBe(`${'a'.repeat(99)}…`);
      expect(title(`${'a'.repeat(98)}${character}b`)).toBe(`${'a'.repeat(98)}…`);
    },
  );

  test.each([
    ['Ask <@123> and <@!45> or <@&6>', 'Ask and or'],
    ['Read <#789>, <#C0AB|general>', 'Read , general'],
    ['Tell <!channel> and <!subteam^S1|@team> <@U1|ann>', 'Tell and @team ann'],
    ['Wake @everyone and @here', 'Wake everyone and here'],
    ['Nice <:wave:123> <a:dance:456>', 'Nice :wave: :dance:'],
    ['a < b > c', 'a < b > c'],
    ['<<@1>@2> and @@everyone', '@2> and everyone'],
  ])('F6: mentions are not kept as such: %s', (label, expected) => {
    expect(title(label)).toBe(expected);
  });

  test('F6: a secret is masked before the title is cut', () => {
    const made = title(undefined, `${'x'.repeat(92)} sk-abcdefghijklmnop and more`);
    expect(made).not.toContain('sk-');
    expect(made).toHaveLength(100);
  });

  test('F6: any label and task give a valid title of 1 to the most characters', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(
        fc.option(text, { nil: undefined }),
        text,
        fc.integer({ min: 1, max: 50 }),
        (label, task, max) => {
          const made = title(label, task, max);
          expect(made.length).toBeGreaterThanOrEqual(1);
          expect(made.length).toBeLessThanOrEqual(max);
          expect(made.isWellFormed()).toBe(true);
          expect(made).not.toMatch(/[\p{Cc}\n]|^\s|\s$/u);
        },
      ),
    );
  });
});

describe('shorten', () => {
  test.each([
    ['fits', 10, 'fits'],
    ['two\n\n lines\there', 20, 'two lines here'],
    ['a word is cut', 7, 'a word…'],
    ['a word is cut', 8, 'a word…'],
    ['😀😀', 3, '😀…'],
    ['😀😀', 2, '…'],
    ['😀😀', 1, '…'],
    ['👩‍👩‍👧‍👦 family', 8, '…'],
    ['', 5, ''],
    ['broken \ud83d', 20, 'broken \ufffd'],
  ])('makes one line of %j within %i', (text, max, expected) => {
    expect(shorten(text, max)).toBe(expected);
  });
});

describe('messageTitle', () => {
  test.each([
    ['the first line', '<@1> plan the trip\nto the sea', 'plan the trip'],
    ['the rest where the first line has nothing to read', '***\nplan it', '*** plan it'],
    ['who wrote it where nothing can be read', '<@123>', 'With Ann'],
    ['without secrets', 'use sk-abc', 'use [redacted]'],
  ])('is %s', (_name, text, expected) => {
    expect(messageTitle(text, 'Ann', 100, redact)).toBe(expected);
  });
});
