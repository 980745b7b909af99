/**
 * What a message says beside its own words, as text for the model: the message that it answers, and its files. Each stands
 * under a mark of ours; look-alikes of the marks in words and files are escaped, so that neither can pass for the other.
 * Words without look-alikes stay byte for byte.
 */
import type { SortedFile } from './attachments.ts';
import type { Quote } from './message.ts';
import { oneLine, shorten } from './shorten.ts';

const MAX_QUOTE_LENGTH = 500;
const MAX_NAME_LENGTH = 100;
const FILE_CLOSE = '[/file]';

/** The note in the mark of a picture, for a model that takes words alone. */
export const PICTURE_UNSEEN = 'this model cannot see pictures';

/** Escapes look-alikes of the marks below by a backslash before the bracket. */
export function escapeMarks(text: string): string {
  return text.replace(/\[(?=\/?file\b|refused file |picture |in answer to )/gi, '\\[');
}

/** A name on one line, without brackets, which would end a mark early. */
function nameOf(name: string): string {
  const line = shorten(name.replaceAll('[', '(').replaceAll(']', ')'), MAX_NAME_LENGTH);
  return line === '' ? 'without a name' : line;
}

const pictureMark = (name: string): string => `[picture ${nameOf(name)}]`;

const pictureNote = (name: string, note: string): string => `[picture ${nameOf(name)}: ${note}]`;

function quoteBlock({ author, text }: Quote): string {
  const words = escapeMarks(shorten(text, MAX_QUOTE_LENGTH));
  return `[in answer to ${nameOf(author)}]\n> ${words === '' ? '(no words)' : words}`;
}

function fileBlock(file: SortedFile): string {
  switch (file.kind) {
    case 'text': {
      const content = escapeMarks(file.text);
      return `[file ${nameOf(file.name)}]\n${content}${content.endsWith('\n') ? '' : '\n'}${FILE_CLOSE}`;
    }
    case 'picture':
      return pictureMark(file.name);
    case 'refused':
      return `[refused file ${nameOf(file.name)}: ${nameOf(file.reason)}]`;
  }
}

export interface Said {
  /** The person's own words. */
  readonly text: string;
  readonly quote?: Quote;
  readonly files: readonly SortedFile[];
}

/** The quote in front, then the words, then the files. */
export function inputText({ text, quote, files }: Said): string {
  const words = escapeMarks(text);
  const blocks = [...(quote ? [quoteBlock(quote)] : []), ...(words === '' ? [] : [words])];
  return [...blocks, ...files.map(fileBlock)].join('\n\n');
}

/** What the sender is told of files that were not taken. */
export function refusalReply(files: readonly SortedFile[]): string | undefined {
  const lines = files.flatMap((file) =>
    file.kind === 'refused' ? [`I could not take ${oneLine(file.name)}: ${oneLine(file.reason)}.`] : [],
  );
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** The text with a note in the marks of pictures that are not shown; `notes`: one for each picture, in order. */
export function withPictureNotes(
  text: string,
  notes: readonly { readonly name: string; readonly note?: string }[],
): string {
  // A mark of ours begins its line; a look-alike has a backslash there.
  const lines = text.split('\n');
  let from = 0;
  for (const { name, note } of notes) {
    const at = lines.indexOf(pictureMark(name), from);
    if (at === -1) continue;
    if (note !== undefined) lines[at] = pictureNote(name, note);
    from = at + 1;
  }
  return lines.join('\n');
}

/** A person's own words out of `inputText`, their escapes left in. */
export function ownWords(text: string): string {
  const kept: string[] = [];
  let isInFile = false;
  for (const line of text.replace(/^\[in answer to [^\]\n]*\]\n> .*(?:\n\n|$)/, '').split('\n')) {
    if (isInFile) isInFile = line !== FILE_CLOSE;
    else if (/^\[file [^\]]*\]$/.test(line)) isInFile = true;
    else if (!/^\[(?:picture|refused file) [^\]]*\]$/.test(line)) kept.push(line);
  }
  return kept.join('\n').trim();
}
