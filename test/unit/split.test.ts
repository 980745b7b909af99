import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitText } from '../../src/core/split.ts';

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const graphemes = (text: string) => [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);

/** The opening line of the block that is open at the end of `text`, read line by line and on its own. */
function openFence(text: string): string | undefined {
  let open: { line: string; marker: string } | undefined;
  for (const line of text.split('\n')) {
    const marker = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (!marker) continue;
    if (!open) {
      const isInline = marker.startsWith('`') && line.trimStart().slice(marker.length).includes('`');
      if (!isInline) open = { line, marker };
    } else if (marker.startsWith(open.marker)) open = undefined;
  }
  return open?.line;
}

/** Takes added fences off and checks that the chunks, in order, are the text less whitespace at the cuts. */
function expectContentKept(text: string, chunks: readonly string[]): void {
  let at = 0;
  for (const [i, chunk] of chunks.entries()) {
    let body = chunk;
    const opening = i > 0 ? openFence(text.slice(0, at)) : undefined;
    if (opening !== undefined) {
      // An info string too long to be said again is left out.
      const marker = /^\s*(`{3,}|~{3,})/.exec(opening)![0];
      const reopened = [opening.trimEnd(), marker].find((line) => body.startsWith(`${line}\n`));
      expect(reopened, `chunk ${i} opens the block again`).toBeDefined();
      body = body.slice(reopened!.length + 1);
    }
    if (!text.startsWith(body, at)) {
      const rest = text.slice(at);
      const gap = rest.length - rest.trimStart().length;
      const offset = rest.slice(0, gap + 1 + body.length).indexOf(body);
      if (opening === undefined && offset >= 0 && offset <= gap) at += offset;
      else {
        const closing = /\n?[ \t]*(`{3,}|~{3,})$/.exec(body);
        expect(closing, `chunk ${i} ends with an added fence`).not.toBeNull();
        const withoutFence = body.slice(0, closing!.index);
        const start = text.indexOf(withoutFence, at);
        expect(text.slice(at, start).trim()).toBe('');
        at = start;
        body = withoutFence;
        if (text[at + body.length] === '\n') body += '\n';
      }
    }
    at += body.length;
  }
  expect(text.slice(at).trim()).toBe('');
}

function expectSound(text: string, limit: number): string[] {
  const chunks = splitText(text, limit);
  for (const chunk of chunks) {
    expect(chunk.length).toBeLessThanOrEqual(limit);
    expect(chunk).toMatch(/\S/);
    expect(chunk).not.toMatch(LONE_SURROGATE);
    expect(openFence(chunk)).toBeUndefined();
  }
  return chunks;
}

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (part.startsWith(character, at)) at += character.length;
  return at >= part.length;
}

describe('splitText', () => {
  test('leaves a text alone that fits', () => {
    expect(splitText('  hello\nworld ', 14)).toEqual(['  hello\nworld ']);
  });

  test.each(['', ' ', '\n\n\t', ' '.repeat(5000)])('makes nothing of a blank text', (text) => {
    expect(splitText(text, 2000)).toEqual([]);
  });

  test.each([
    ['paragraphs', 'one two. three\n\nfour five\nsix', 24, ['one two. three', 'four five\nsix']],
    ['lines', 'one two. three\nfour five six', 24, ['one two. three', 'four five six']],
    ['sentences', 'One two three. Four five six seven', 24, ['One two three.', 'Four five six seven']],
    ['words', 'one two three four five six', 15, ['one two three', 'four five six']],
    ['characters', 'abcdefghij', 4, ['abcd', 'efgh', 'ij']],
    [
      'sentences without spaces',
      '今日は晴れです。明日は雨でしょう。',
      12,
      ['今日は晴れです。', '明日は雨でしょう。'],
    ],
  ])('prefers to cut between %s', (_name, text, limit, chunks) => {
    expect(splitText(text, limit)).toEqual(chunks);
  });

  test('keeps the indentation of a line that begins a chunk', () => {
    expect(splitText('- one item\n    - below\n    - again', 22)).toEqual([
      '- one item\n    - below',
      '    - again',
    ]);
  });

  test('closes a block at the end of a chunk and opens it again with its info string', () => {
    const text = '```ts\nconst a = 1;\nconst b = 2;\nconst c = 3;\n```';
    expect(splitText(text, 36)).toEqual([
      '```ts\nconst a = 1;\nconst b = 2;\n```',
      '```ts\nconst c = 3;\n```',
    ]);
  });

  test('keeps the indentation and blank lines of code', () => {
    const text = '~~~py\ndef f():\n    return 1\n\n\n    # end\n~~~';
    expect(splitText(text, 34)).toEqual(['~~~py\ndef f():\n    return 1\n\n\n~~~', '~~~py\n    # end\n~~~']);
  });

  test('closes a block that the text leaves open', () => {
    expect(splitText('see\n```\ncode', 100)).toEqual(['see\n```\ncode\n```']);
    expect(splitText('see\n```\ncode\n', 100)).toEqual(['see\n```\ncode\n```']);
  });

  test('does not carry on an info string that would fill the chunk', () => {
    const chunks = expectSound(`\`\`\`${'x'.repeat(80)}\n${'code\n'.repeat(20)}\`\`\``, 60);
    expect(chunks.at(-1)).toMatch(/^```\ncode/);
  });

  test('does not begin a line with a marker that stood inside one', () => {
    const chunks = expectSound(`${'word '.repeat(7)}\`\`\`x\`\`\` ${'word '.repeat(7)}`, 40);
    expect(chunks.every((chunk) => !chunk.startsWith('```'))).toBe(true);
  });

  test('does not cut inline code between triple backticks', () => {
    const word = fc.constantFrom('word', 'Sentence.', 'see ```x y```', '汉字。 ```a b c``` too');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), fc.integer({ min: 40, max: 120 }), (words, limit) => {
        for (const chunk of expectSound(`So ${words.join(' ')}`, limit)) {
          expect(chunk.match(/```/g)?.length ?? 0).toSatisfy((count: number) => count % 2 === 0);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('F1: a closing fence with a tail never makes a chunk too long', () => {
    for (let block = 1900; block <= 4100; block += 110) {
      for (let tail = 1985; tail <= 2005; tail++) {
        for (const line of [
          'x'.repeat(block),
          'some code;\n'.repeat(Math.ceil(block / 11)).slice(0, block),
        ]) {
          const text = `\`\`\`js\n${line}\n\`\`\`${'y'.repeat(tail)}`;
          const chunks = expectSound(text, 2000);
          const joined = chunks.join('').replaceAll(/\n?```(js\n)?/g, '');
          expect(joined.replaceAll('\n', '')).toBe((line + 'y'.repeat(tail)).replaceAll('\n', ''));
        }
      }
    }
  });

  const families = ['😀', '🇨🇭', '👩‍👩‍👧‍👦', '👍🏽', '\u1100\u1161\u11a8', 'e\u0301'];
  test.each(families)('F3: a row of %s is cut between characters only', (character) => {
    const text = `x${character.repeat(1500)}`;
    for (const limit of [1999, 2000]) {
      const chunks = expectSound(text, limit);
      expect(chunks.join('')).toBe(text);
      expect(chunks.flatMap(graphemes)).toEqual(graphemes(text));
    }
    for (const limit of [1, 2, 3]) {
      const chunks = splitText(text, limit);
      expect(chunks.join('')).toBe(text);
      for (const chunk of chunks) {
        expect(chunk).not.toMatch(LONE_SURROGATE);
        expect(chunk.length).toBeLessThanOrEqual(Math.max(limit, 2));
      }
    }
  });

  test('any text at any limit is cut soundly and keeps its content', () => {
    const text = fc
      .string({ unit: 'grapheme', maxLength: 80 })
      .map((value) => value.replaceAll(/[`~]/g, '-'));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 40 }), (value, limit) => {
        const chunks = splitText(value, limit);
        for (const chunk of chunks) {
          expect(chunk).toMatch(/\S/);
          expect(chunk.length).toBeLessThanOrEqual(Math.max(2, limit));
          expect(chunk.isWellFormed()).toBe(true);
        }
        expect(chunks.join('').replaceAll(/\s/g, '')).toBe(value.replaceAll(/\s/g, ''));
        expectContentKept(value, chunks);
      }),
    );
  });

  test('a limit with little room for fences still ends, keeps to the limit and loses nothing', () => {
    const unit = fc.constantFrom('```', '~~~', '\n', 'js', ' ', 'a', '😀');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), fc.integer({ min: 1, max: 24 }), (units, limit) => {
        const letters = (value: string) => value.replaceAll(/[^a😀]/gu, '');
        const chunks = splitText(units.join(''), limit);
        for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(Math.max(2, limit));
        expect(isSubsequence(letters(units.join('')), letters(chunks.join('')))).toBe(true);
      }),
    );
  });

  test('texts with code blocks keep balanced fences and their content', () => {
    const words = fc
      .array(
        fc.constantFrom('word', 'a', 'Sentence.', '😀', 'x'.repeat(70), '`code`', '```x```', '~~~', '汉字。'),
        {
          minLength: 1,
          maxLength: 12,
        },
      )
      .map((parts) => parts.join(' '));
    // A line of words that begins like a fence makes the text mean several things; those are the next test's.
    const prose = words.filter((line) => !/^(`{3}|~{3})/.test(line));
    const lines = fc.array(
      fc.oneof(
        prose,
        fc.constant(''),
        prose.map((line) => `    ${line}`),
      ),
      { maxLength: 6 },
    );
    const block = fc
      .tuple(
        fc.constantFrom('```', '~~~', '````', '  ```'),
        fc.constantFrom('', 'js', 'ts title=x'),
        lines,
        fc.constantFrom('', ' tail', 'tail'),
      )
      .map(([marker, info, code, tail]) => [`${marker}${info}`, ...code, `${marker}${tail}`].join('\n'));
    const document = fc
      .tuple(fc.array(fc.oneof(prose, fc.constant(''), block), { maxLength: 8 }), fc.boolean())
      .map(([parts, isOpen]) => parts.join('\n') + (isOpen ? '\n```sh\nleft open' : ''));
    fc.assert(
      fc.property(document, fc.integer({ min: 40, max: 200 }), (text, limit) => {
        const chunks = expectSound(text, limit);
        expectContentKept(text, chunks);
      }),
      { numRuns: 500 },
    );
  });

  test('texts full of things that look like fences keep every word, within the limit', () => {
    const word = fc.constantFrom('word', 'Sentence.', '```', '~~~', '```x```', '````', '\n', '\n\n', '    ');
    const document = fc.array(word, { minLength: 1, maxLength: 40 }).map((parts) => parts.join(' '));
    const wordsOf = (text: string) => text.replace(/[`~\s]/g, '');
    fc.assert(
      fc.property(document, fc.integer({ min: 40, max: 200 }), (text, limit) => {
        fc.pre(text.trim() !== '');
        const chunks = splitText(text, limit);
        for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(limit);
        expect(isSubsequence(wordsOf(text), wordsOf(chunks.join('')))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('a megabyte is cut in one pass, whatever it is made of', () => {
    const size = 1_000_000;
    for (const unit of [
      'x',
      'word ',
      '\n',
      ' ',
      '`',
      '` ',
      '` \n',
      '```\n',
      '```js\ncode\n```\n',
      `\`\`\`\n${'y'.repeat(3000)}\n`,
      '😀',
      '~~~ a\n\n',
    ]) {
      for (const before of ['', '```\n']) {
        const text = before + unit.repeat(size / unit.length);
        for (const chunk of splitText(text, 2000)) expect(chunk.length).toBeLessThanOrEqual(2000);
      }
    }
  });
});
