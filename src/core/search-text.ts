/**
 * Text as the search index sees it. Index and query go through the same folding, so that a word is found however it was
 * written: width, case and letters such as `ł` folded; diacritics are left to the index, which drops them. Chinese, Japanese
 * and Korean are written without (or with few) spaces, so their runs are cut into overlapping pairs, and a query finds any
 * substring of two characters or more as a sequence of pairs, and a single character as the beginning of a pair.
 *
 *   `Łódź 会議室` → `lódź 会議 議室 室`
 */

/** Letters that Unicode does not take apart into a base letter and a mark. */
const FOLDED: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  þ: 'th',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŋ: 'n',
  ŧ: 't',
  ς: 'σ',
};
const TO_FOLD = new RegExp(`[${Object.keys(FOLDED).join('')}]`, 'g');

/** A run of characters that are written without spaces (not the symbols of those scripts), or a word of any others. */
const WORD =
  /(?<dense>(?:(?=[\p{L}\p{N}\p{M}])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}ー])+)|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}ー])[\p{L}\p{N}\p{M}\p{Co}])+/gu;

/** Every run of a query must occur: its tokens one after the other, the last as a beginning if `isPrefix`. */
export interface SearchTerm {
  readonly tokens: readonly string[];
  readonly isPrefix: boolean;
}

/** The words to index, separated by spaces. */
export function indexedWords(text: string): string {
  return runsOf(text)
    .map(({ characters, isDense }) =>
      // The last character stands alone too, else it could not be found as the beginning of a pair.
      isDense ? [...pairs(characters), characters.at(-1)!].join(' ') : characters.join(''),
    )
    .join(' ');
}

/** What must occur for the query to match; empty if it holds no word. */
export function searchTerms(query: string): readonly SearchTerm[] {
  const terms = new Map<string, SearchTerm>();
  for (const { characters, isDense } of runsOf(query)) {
    const isPrefix = isDense && characters.length === 1;
    const tokens = isDense && !isPrefix ? pairs(characters) : [characters.join('')];
    terms.set(tokens.join(' '), { tokens, isPrefix });
  }
  return [...terms.values()];
}

interface TextRun {
  readonly characters: readonly string[];
  readonly isDense: boolean;
}

function runsOf(text: string): TextRun[] {
  const folded = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(TO_FOLD, (letter) => FOLDED[letter]!);
  return [...folded.matchAll(WORD)]
    .map((match) => ({ characters: [...match[0]], isDense: match.groups?.dense !== undefined }))
    .filter(({ characters }) => characters.some((character) => /[\p{L}\p{N}\p{Co}]/u.test(character)));
}

function pairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, i) => characters[i]! + character);
}
