/** What the thread of a subagent is called. A title is public, so it notifies nobody and holds no secret. */
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
  for (const candidate of [label ?? '', task, FALLBACK]) {
    const title = shorten(withoutMentions(oneLine(redact(candidate))), maxLength);
    if (READABLE.test(title)) return title;
  }
  return shorten(FALLBACK, maxLength);
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
