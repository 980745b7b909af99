/**
 * A reply as the messages that it takes: split on sense, or, where that would fill a channel with more than a few messages, its
 * beginning with the whole of it as a file. Tables are laid out where the platform does not draw them.
 */
import { splitText } from './split.ts';
import { layOutTables } from './tables.ts';

/** More messages than this in a row bury what was said before them. */
const MAX_PARTS = 5;
const FILE_NAME = 'answer.md';
const IN_FILE = `*(This is only the beginning: the whole answer is in ${FILE_NAME}.)*`;

export interface ReplyPart {
  readonly text: string;
  readonly file?: { readonly name: string; readonly text: string };
}

export interface ReplyLimits {
  /** In UTF-16 units. */
  readonly maxTextLength: number;
  /** Of one file, in bytes; 0 where none can be sent. */
  readonly maxFileBytes: number;
  readonly showsTables: boolean;
}

/** None at all for a blank text. The file holds the text as it was given. */
export function replyParts(text: string, limits: ReplyLimits): readonly ReplyPart[] {
  const shown = limits.showsTables ? text : layOutTables(text);
  const parts = splitText(shown, limits.maxTextLength).map((part) => ({ text: part }));
  if (parts.length <= MAX_PARTS || !fitsFile(text, limits.maxFileBytes)) return parts;
  const room = limits.maxTextLength - IN_FILE.length - 2;
  const [beginning] = room > 0 ? splitText(shown, room) : [];
  const words = beginning === undefined ? IN_FILE : `${beginning}\n\n${IN_FILE}`;
  return [{ text: words, file: { name: FILE_NAME, text } }];
}

function fitsFile(text: string, maxBytes: number): boolean {
  return maxBytes > 0 && new TextEncoder().encode(text).length <= maxBytes;
}
