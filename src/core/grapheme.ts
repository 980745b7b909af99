/** Where a text may be cut so that no character, as people see it, comes apart. Positions are UTF-16 units. */
const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Enough context behind the position to see the whole of any character that is not made to be absurd. */
const LOOK_AHEAD = 64;

/**
 * The last place not behind `end` where a character ends. `from` is such a place and must be before `end`. When the first
 * character alone reaches beyond `end` it is cut between two code points, and a surrogate pair not even then: the result
 * is always behind `from`, and exceeds `end` only where the code point at `from` does.
 */
export function graphemeCut(text: string, from: number, end: number): number {
  if (end >= text.length) return text.length;
  const window = text.slice(from, end + LOOK_AHEAD);
  const start = SEGMENTER.segment(window).containing(end - from)?.index ?? 0;
  if (start > 0) return from + start;
  const cut = isInsidePair(text, end) ? end - 1 : end;
  return cut > from ? cut : from + 2;
}

function isInsidePair(text: string, at: number): boolean {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
