/**
 * What Discord's Markdown lacks: headings below the third level, which it would show with their number signs. Everything
 * else stays as it was written. The text never grows longer by it.
 */
import { fencedBlocks } from '../../../src/core/fences.ts';

const DEEP_HEADING = /^ {0,3}#{4,6}[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*$/gm;

export function formatText(text: string): string {
  let formatted = '';
  let at = 0;
  for (const block of fencedBlocks(text)) {
    formatted += prose(text.slice(at, block.start)) + text.slice(block.start, block.end);
    at = block.end;
  }
  return formatted + prose(text.slice(at));
}

/** Bold already, or holding bold words, the heading is bold as a whole all the same. */
function prose(text: string): string {
  return text.replaceAll(DEEP_HEADING, (_line, title: string) => `**${title.replaceAll('**', '')}**`);
}
