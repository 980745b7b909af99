/** Where a text may be cut so that no character, as people see it, comes apart. Positions are UTF-16 units. */
const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Enough context behind the position to see the whole of any character that is not made to be absurd. */
const LOOK_AHEAD = 64;

/**
 * The last place not behind `end` where a character ends, or `from` when the first one already reaches further. `from`
 * must itself be such a place, and before `end`.
 */
export function graphemeCut(text: string, from: number, end: number): number {
  if (end >= text.length) return text.length;
  const window = text.slice(from, end + LOOK_AHEAD);
  return from + (SEGMENTER.segment(window).containing(end - from)?.index ?? 0);
}

/**
 * Like `graphemeCut`, but always behind `from`: a character too long for the room is cut between two code points. A
 * surrogate pair stays whole even where it reaches beyond `end`.
 */
export function forcedCut(text: string, from: number, end: number): number {
  const cut = graphemeCut(text, from, end);
  if (cut > from) return cut;
  const isInsidePair = text.codePointAt(end - 1)! > 0xffff;
  if (!isInsidePair) return end;
  return end - 1 > from ? end - 1 : from + 2;
}
