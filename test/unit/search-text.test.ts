import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexedWords, searchTerms } from '../../src/core/search-text.ts';

describe('indexed words', () => {
  it.each([
    ['Hello, World!', 'hello world'],
    ['Łódź SØREN Đà straße Ærø', 'lódź soren dà strasse aero'],
    ['ＡＢＣ ﬁne', 'abc fine'],
    ['会議室', '会議 議室 室'],
    ['会', '会'],
    ['배포가 끝났다', '배포 포가 가 끝났 났다 다'],
    ['データ', 'デー ータ タ'],
    ['AI会議v2', 'ai 会議 議 v2'],
    ['会議。室', '会議 議 室'],
    ['--- !?', ''],
  ])('fold %j to %j', (text, words) => {
    expect(indexedWords(text)).toBe(words);
  });

  it('keep characters beyond the basic plane whole', () => {
    expect(indexedWords('𠀀𠀁')).toBe('𠀀𠀁 𠀁');
  });
});

describe('search terms', () => {
  it('ask for every word once', () => {
    expect(searchTerms('red Blue red')).toEqual([
      { tokens: ['red'], isPrefix: false },
      { tokens: ['blue'], isPrefix: false },
    ]);
  });

  it('ask for pairs in sequence, and for a single character as a beginning', () => {
    expect(searchTerms('会議室')).toEqual([{ tokens: ['会議', '議室'], isPrefix: false }]);
    expect(searchTerms('会')).toEqual([{ tokens: ['会'], isPrefix: true }]);
  });

  it('are none where there is no word', () => {
    expect(searchTerms(' "*" AND- ( ')).toEqual([{ tokens: ['and'], isPrefix: false }]);
    expect(searchTerms('"*" ^ - ( )')).toEqual([]);
    expect(searchTerms('')).toEqual([]);
  });

  it('hold letters, digits and marks alone, whatever was typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const { tokens } of searchTerms(text)) {
          for (const token of tokens) expect(token).toMatch(/^[\p{L}\p{N}\p{M}\p{Co}]+$/u);
        }
      }),
    );
  });
});
