/**
 * Cuts a long text into messages. A cut falls, in this order of preference, between paragraphs, lines, sentences, words or
 * characters. A code block that is cut is closed at the end of one chunk and opened again, info string included, at the
 * start of the next; both count towards the limit.
 */
import { type CarriedBlock, nextCut } from './cut.ts';
import { type FencedBlock, fencedBlocks } from './fences.ts';
import { inlineSpans } from './inline-spans.ts';

/**
 * Chunks of at most `limit` UTF-16 units (`limit` >= 1), none of them blank; none at all for a blank text.
 *
 * - Content: apart from added fences the chunks hold the text unchanged and in order. Left out at a cut outside code is
 *   only the whitespace around it (the indentation of a line that begins a chunk stays); at a line break inside code only
 *   that line break, whose place the added fence takes.
 * - Fences: they are balanced in every chunk, also in the last one where the text itself leaves a block open. A fence that
 *   takes up more than half of the limit is carried on without its info string; where there is no room for even that, the
 *   code is cut as if it were prose.
 * - Inline code between triple backticks is not cut if it takes up no more than half of the limit and has words around it.
 * - No surrogate pair is ever cut (at limit 1 it makes a chunk of two units), and no character as people see it unless it
 *   is itself longer than a chunk.
 */
export function splitText(text: string, limit: number): string[] {
  const fenced = fencedBlocks(text);
  const blocks = fenced.flatMap((block) => carry(text, block, limit));
  // A longer one has to be cut like any other text.
  const spans = inlineSpans(text, fenced).filter(({ start, end }) => (end - start) * 2 <= limit);
  const chunks: string[] = [];
  let at = 0;
  let blockAt = 0;
  let spanAt = 0;
  while (at < text.length) {
    while (blockAt < blocks.length && blocks[blockAt]!.end <= at) blockAt++;
    while (spanAt < spans.length && spans[spanAt]!.end <= at) spanAt++;
    const block = blocks[blockAt];
    const opening = block && block.start < at ? block.reopening : '';
    const cut = nextCut({ text, blocks, blockAt, spans, spanAt }, at, limit - opening.length);
    const body = text.slice(at, cut.end);
    if (opening || cut.closing || /\S/.test(body)) chunks.push(opening + body + cut.closing);
    at = cut.next;
  }
  return chunks;
}

function carry(text: string, block: FencedBlock, limit: number): CarriedBlock[] {
  const closing = `\n${block.marker}`;
  const opening = block.opening.trimEnd();
  const contentEnd = block.codeStart + text.slice(block.codeStart, block.codeEnd).trimEnd().length;
  if (block.opening.length * 2 <= limit && opening.length + closing.length + 3 <= limit) {
    return [{ ...block, reopening: `${opening}\n`, closing, contentEnd }];
  }
  if (closing.length * 2 + 2 > limit) return [];
  // The info string is too long to be said again: it may be cut itself, as though it were code.
  const codeStart = Math.min(block.codeStart, block.start + block.marker.length);
  return [{ ...block, codeStart, reopening: `${block.marker}\n`, closing, contentEnd }];
}
