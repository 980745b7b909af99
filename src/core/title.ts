/** What a thread of the bot is called. A title is public, so it notifies nobody and holds no secret. */
import { oneLine, shorten } from './shorten.ts';

const FALLBACK = 'Subagent';

/** Something that a reader can recognise the thread by. */
const READABLE = /[\p{L}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]/u;

/**
 * The label, else the task, else a fixed word, on one line of 1 to `maxLength` UTF-16 units (`maxLength` >= 1). `redact`
 * masks secrets; it sees the whole text, before anything is cut off.
 */
export function threadTitle(
  label: string | undefined,
  task: string,
  maxLength: number,
  redact: (text: string) => string,
): string {
  return firstReadable([label ?? '', task], FALLBACK, maxLength, redact);
}

/** The thread that a message is answered in, by its first words; else by who wrote it. */
export function messageTitle(
  text: string,
  author: string,
  maxLength: number,
  redact: (text: string) => string,
): string {
  const words = redact(text).trim();
  const firstLine = words.split(/\r?\n/, 1)[0]!;
  return firstReadable([firstLine, words, `With ${author}`], 'Conversation', maxLength, redact);
}

function firstReadable(
  candidates: readonly string[],
  fallback: string,
  maxLength: number,
  redact: (text: string) => string,
): string {
  for (const candidate of [...candidates, fallback]) {
    const title = shorten(withoutMentions(oneLine(redact(candidate))), maxLength);
    if (READABLE.test(title)) return title;
  }
  return shorten(fallback, maxLength);
}

/**
 * Platform mentions as both Discord and Slack write them. Those that name something readable keep the name, the others go;
 * a custom emoji keeps its name.
 */
function withoutMentions(text: string): string {
  return (
    text
      .replaceAll(/<[@#!][^<>|]*\|([^<>]*)>/g, '$1')
      .replaceAll(/<a?(:\w+:)\d+>/g, '$1')
      .replaceAll(/<(?:[@#!]|\/[^<>:]*:|id:)[^<>]*>/g, '')
      // What was nested in a mention may have become one.
      .replaceAll(/<+(?=[@#!])/g, '')
      .replaceAll(/@+(?=everyone\b|here\b|channel\b)/gi, '')
  );
}
