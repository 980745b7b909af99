/** One line out of any text: for titles, previews and lists. */
import { graphemeCut } from './grapheme.ts';

/** Control and invisible formatting characters, but for those that emoji and many scripts are written with. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}]|(?!\p{Join_Control}|[\u{e0020}-\u{e007f}])\p{Cf}/gu;

/** One line without control characters; each run of whitespace is one space; lone surrogates become U+FFFD. */
export function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(/\s+/g, ' ').replaceAll(UNSEEN, '').replaceAll(/ {2,}/g, ' ').trim();
}

/** The text on one line of at most `max` UTF-16 units (`max` >= 1); what does not fit is replaced by `…`. */
export function shorten(text: string, max: number): string {
  const line = oneLine(text);
  if (line.length <= max) return line;
  if (max <= 1) return '…';
  return `${line.slice(0, graphemeCut(line, 0, max - 1)).trimEnd()}…`;
}
