/** Where one chunk of a long text ends: the decision behind `splitText`, made anew for each chunk. */
import type { FencedBlock } from './fences.ts';
import { forcedCut } from './grapheme.ts';
import type { InlineSpan } from './inline-spans.ts';

/** The chunk's own text ends at `end`, then `closing` is added; the next chunk's text begins at `next`. */
export interface Cut {
  readonly end: number;
  readonly next: number;
  readonly closing: string;
}

/** A block that is closed and opened again wherever it is cut. */
export interface CarriedBlock extends FencedBlock {
  readonly reopening: string;
  readonly closing: string;
  /** Behind the last character of the code that is not whitespace. */
  readonly contentEnd: number;
}

export interface Scan {
  readonly text: string;
  readonly blocks: readonly CarriedBlock[];
  /** The first block that ends behind where the chunk begins. */
  readonly blockAt: number;
  /** Inline code that is to stay whole. */
  readonly spans: readonly InlineSpan[];
  /** The first span that ends behind where the chunk begins. */
  readonly spanAt: number;
}

/** From best to worst. A `seam` would leave an empty code block in one of the chunks. */
const RANKS = ['paragraph', 'line', 'sentence', 'word'] as const;
type Rank = (typeof RANKS)[number] | 'seam';

interface Boundary {
  readonly rank: Rank;
  readonly cut: Cut;
}

/** The end of a chunk that begins at `from` and may hold `budget` units of text and closing; always moves on. */
export function nextCut(scan: Scan, from: number, budget: number): Cut {
  return remainder(scan, from, budget) ?? bestBoundary(scan, from, budget) ?? cutAnywhere(scan, from, budget);
}

/** Everything that is left, if it fits. */
function remainder({ text, blocks }: Scan, from: number, budget: number): Cut | undefined {
  if (text.length - from > budget) return undefined;
  const last = blocks.at(-1);
  const isOpen = last !== undefined && !last.isClosed;
  const closing = isOpen ? (text.endsWith('\n') ? last.marker : last.closing) : '';
  const fits = text.length - from + closing.length <= budget;
  return fits ? { end: text.length, next: text.length, closing } : undefined;
}

/** The best-ranked boundary in the second half of the chunk, else the last boundary there is. */
function bestBoundary(scan: Scan, from: number, budget: number): Cut | undefined {
  const best = new Map<Rank, Cut>();
  let last: Cut | undefined;
  let seam: Cut | undefined;
  for (const { rank, cut } of boundaries(scan, from, from + budget)) {
    if (cut.end - from + cut.closing.length > budget) continue;
    if (rank === 'seam') {
      seam = cut;
      continue;
    }
    last = cut;
    if ((cut.end - from) * 2 >= budget) best.set(rank, cut);
  }
  const ranked = RANKS.find((rank) => best.has(rank));
  return ranked ? best.get(ranked) : (last ?? seam);
}

function* boundaries(scan: Scan, from: number, to: number): Generator<Boundary> {
  const { text, blocks, spans } = scan;
  let { blockAt, spanAt } = scan;
  for (let at = from + 1; at <= to && at < text.length; at++) {
    while (blockAt < blocks.length && blocks[blockAt]!.end < at) blockAt++;
    while (spanAt < spans.length && spans[spanAt]!.end <= at) spanAt++;
    if (spanAt < spans.length && spans[spanAt]!.start < at) continue;
    const block = blocks[blockAt];
    const isInside = block !== undefined && block.start < at;
    const boundary = isInside ? codeBoundary(text, block, at) : proseBoundary(text, at);
    if (boundary) yield boundary;
  }
}

function codeBoundary(text: string, block: CarriedBlock, at: number): Boundary | undefined {
  if (at === block.end) {
    const cut = proseCut(text, at);
    return opensLine(text, cut.next) ? undefined : { rank: 'line', cut };
  }
  if (at <= block.codeStart || at > block.codeEnd) return undefined;
  const cut = codeCut(text, block, at);
  if (text[at - 1] === '\n') return { rank: at < block.contentEnd ? 'line' : 'seam', cut };
  const isWordStart = isSpace(text, at - 1) && !isSpace(text, at);
  return isWordStart && !isMarkerAt(text, at) ? { rank: 'word', cut } : undefined;
}

/** Inside code nothing is left out but the line break that the closing fence brings along. */
function codeCut(text: string, block: CarriedBlock, at: number): Cut {
  const isLineEnd = text[at - 1] === '\n' && at > block.codeStart;
  return { end: isLineEnd ? at - 1 : at, next: at, closing: block.closing };
}

function proseBoundary(text: string, at: number): Boundary | undefined {
  if (isSpace(text, at - 1)) return undefined;
  if (!isSpace(text, at)) {
    const isSentenceEnd = /[。！？]/.test(text[at - 1]!) && !/[。！？」』）]/.test(text[at]!);
    return isSentenceEnd && !isMarkerAt(text, at)
      ? { rank: 'sentence', cut: { end: at, next: at, closing: '' } }
      : undefined;
  }
  const cut = proseCut(text, at);
  const gap = text.slice(at, cut.next);
  const lineBreak = gap.indexOf('\n');
  if (lineBreak >= 0) return { rank: gap.includes('\n', lineBreak + 1) ? 'paragraph' : 'line', cut };
  if (opensLine(text, cut.next)) return undefined;
  const isSentenceEnd = /[.!?…][)\]"'”’*_]*$/.test(text.slice(Math.max(0, at - 4), at));
  return { rank: isSentenceEnd ? 'sentence' : 'word', cut };
}

/** Leaves out the whitespace at `at`: up to its last line break if it has one, else the whole of it. */
function proseCut(text: string, at: number): Cut {
  const spaceEnd = skipSpace(text, at);
  const indentAt = text.slice(at, spaceEnd).lastIndexOf('\n') + 1;
  const next = indentAt > 0 && spaceEnd < text.length ? at + indentAt : spaceEnd;
  return { end: at, next, closing: '' };
}

/** No boundary in reach: a word, or a line of code, that is longer than a chunk. */
function cutAnywhere({ text, blocks, blockAt }: Scan, from: number, budget: number): Cut {
  const to = from + budget;
  const block = blocks[blockAt];
  if (block && block.start < to) {
    const room = Math.min(to - block.closing.length, block.codeEnd);
    if (room > Math.max(from, block.codeStart)) {
      return codeCut(text, block, awayFromMarker(text, from, forcedCut(text, from, room)));
    }
  }
  return proseCut(text, awayFromMarker(text, from, forcedCut(text, from, Math.max(to, from + 1))));
}

/**
 * Moves a cut to before the character that precedes a fence marker, so that the marker does not begin a line. Space between
 * the two does not help: it is left out, or it is the marker's indentation.
 */
function awayFromMarker(text: string, from: number, at: number): number {
  // A gap wider than the chunk will be cut once more before the marker is reached.
  let marker = skipSpace(text, at, at + (at - from));
  if (marker === at) while (marker > from && isSameMark(text, marker - 1, at)) marker--;
  if (!isMarkerAt(text, marker)) return at;
  let before = Math.min(marker, at);
  while (before > from && isSpace(text, before - 1)) before--;
  return before - 1 > from ? forcedCut(text, from, before - 1) : at;
}

function isSameMark(text: string, a: number, b: number): boolean {
  return text[a] === text[b] && (text[a] === '`' || text[a] === '~');
}

/** Whether a marker that stands inside a line would come to stand at the start of one, and so open or close a block. */
function opensLine(text: string, at: number): boolean {
  return isMarkerAt(text, at) && text[at - 1] !== '\n';
}

function isMarkerAt(text: string, at: number): boolean {
  return text.startsWith('```', at) || text.startsWith('~~~', at);
}

function skipSpace(text: string, from: number, to = text.length): number {
  let at = from;
  while (at < to && isSpace(text, at)) at++;
  return at;
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return code >= 0x80 && /\s/.test(text[at]!);
}
