import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayWidth } from '../../src/core/display-width.ts';
import { layOutTables } from '../../src/core/tables.ts';

const lines = (...parts: string[]) => parts.join('\n');

describe('layOutTables', () => {
  test('lines columns up by the alignment row', () => {
    const table = lines(
      '| Name | Count | Mid |',
      '|:--|--:|:-:|',
      '| tea | 3 | x |',
      '| coffee | 12 | abc |',
    );
    expect(layOutTables(`before\n\n${table}\n\nafter`)).toBe(
      lines(
        'before',
        '',
        '```',
        'Name    Count  Mid',
        '------  -----  ---',
        'tea         3   x',
        'coffee     12  abc',
        '```',
        '',
        'after',
      ),
    );
  });

  test('takes tables without outer bars, and parts what follows from the block', () => {
    expect(layOutTables('a | b\n--- | ---\n1 | 2\nnext')).toBe(
      lines('```', 'a  b', '-  -', '1  2', '```', '', 'next'),
    );
  });

  test('counts wide characters as two columns', () => {
    expect(layOutTables('| 名前 | n |\n|---|---|\n| tea | 1 |\n| お茶 😀 | 2 |')).toBe(
      lines('```', '名前     n', '-------  -', 'tea      1', 'お茶 😀  2', '```'),
    );
  });

  test('keeps escaped bars and takes inline marks out of cells', () => {
    const table =
      '| a | b |\n|---|---|\n| x \\| y | **bold** `code` _it_ ~~no~~ [docs](https://e.org) snake_case_x |';
    expect(layOutTables(table)).toContain('x | y  bold code it no docs (https://e.org) snake_case_x');
  });

  test('fills short rows up and loses nothing of long ones', () => {
    expect(layOutTables('|a|b|\n|-|-|\n|1|\n|1|2|3|')).toBe(
      lines('```', 'a  b', '-  -----', '1', '1  2 | 3', '```'),
    );
  });

  test('lists the rows of a table that is too wide', () => {
    const wide = 'w'.repeat(50);
    expect(
      layOutTables(`| Name | About | Note |\n|---|---|---|\n| tea | ${wide} | **x** |\n| coffee | y | |`),
    ).toBe(lines('- Name: tea', `  About: ${wide}`, '  Note: **x**', '- Name: coffee', '  About: y'));
  });

  test.each([
    '```\n| a | b |\n|---|---|\n```',
    '~~~md\n| a | b |\n|---|---|\n| 1 | 2 |',
    '    | a | b |\n    |---|---|',
    'a | b, or c | d',
    '| a | b |\n|---|',
    '| a | b |\n| 1 | 2 |',
    'a\n---',
    'x || y',
  ])('leaves alone what is code or no table: %j', (text) => {
    expect(layOutTables(text)).toBe(text);
  });

  test('a fence in a cell neither ends the block nor begins one', () => {
    expect(layOutTables('| a |\n|---|\n| ```js |')).toBe(lines('```', 'a', '-----', "'''js", '```'));
  });

  test('text without bars is never changed, and laying out again changes nothing', () => {
    const piece = fc.constantFrom(
      '| a | b |\n',
      '|---|---|\n',
      '| 1 | 2 |\n',
      '|',
      '\\|',
      'word ',
      '\n',
      '```\n',
      '- x\n',
      '汉',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const text = pieces.join('');
        const once = layOutTables(text);
        if (!text.includes('|')) expect(once).toBe(text);
        expect(layOutTables(once)).toBe(once);
        const words = (value: string) =>
          value
            .replaceAll(/[^a-z0-9汉]/g, '')
            .split('')
            .sort()
            .join('');
        expect(words(once)).toBe(words(text));
      }),
      { numRuns: 300 },
    );
  });

  test('every cell is kept, and every line of a block is as wide as its columns', () => {
    const cell = fc.stringMatching(/^[a-z0-9\u4e00-\u4e10]{1,8}$/u);
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
      );
    fc.assert(
      fc.property(table, (rows) => {
        const [head, ...body] = rows.map((cells) => `| ${cells.join(' | ')} |`);
        const text = [head, `|${rows[0]!.map(() => '--:').join('|')}|`, ...body].join('\n');
        const shown = layOutTables(text).split('\n').slice(1, -1);
        const widths = new Set(shown.map(displayWidth));
        expect(widths.size).toBe(1);
        expect(shown.filter((_, i) => i !== 1).map((line) => line.trim().split(/\s+/))).toEqual(rows);
      }),
    );
  });
});

describe('displayWidth', () => {
  test.each([
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['汉字', 4],
    ['한국', 4],
    ['ｱ', 1],
    ['Ａ', 2],
    ['👩‍👩‍👧', 2],
    ['🇨🇭', 2],
    ['a\u200bb', 2],
  ])('%s takes %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});
