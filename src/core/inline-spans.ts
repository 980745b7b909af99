/**
 * Code that stands between triple backticks inside one line of prose: chat platforms draw it as a block too, so one half of it
 * would look like a block that is never closed.
 */
import type { FencedBlock } from './fences.ts';

export interface InlineSpan {
  /** Start of the opening marker. */
  readonly start: number;
  /** Behind the closing marker. */
  readonly end: number;
}

/** Outside of `blocks`, the fenced blocks of the text; in order, linear in the length of the text. */
export function inlineSpans(text: string, blocks: readonly FencedBlock[]): InlineSpan[] {
  const spans: InlineSpan[] = [];
  let from = 0;
  for (const { start, end } of [...blocks, { start: text.length, end: text.length }]) {
    spans.push(...spansBetween(text, from, start));
    from = end;
  }
  return spans;
}

function spansBetween(text: string, from: number, to: number): InlineSpan[] {
  const spans: InlineSpan[] = [];
  let open: { readonly start: number; readonly length: number } | undefined;
  for (const { 0: mark, index } of text.slice(from, to).matchAll(/`{3,}|\n/g)) {
    const start = from + index;
    if (mark === '\n') open = undefined;
    else if (open === undefined) open = { start, length: mark.length };
    else if (open.length === mark.length) {
      spans.push({ start: open.start, end: start + mark.length });
      open = undefined;
    }
  }
  return spans;
}
