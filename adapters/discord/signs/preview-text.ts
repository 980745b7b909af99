/** What a reply that is still being written looks like: its newest part, and a last line that says so. */
import { splitText } from '../../../src/core/split.ts';
import { formatText } from '../outbound/format.ts';

const MAX_LENGTH = 1_900;
const STILL_WRITING = '\n-# still writing…';

/** Code fences are balanced. `undefined` while there is nothing to see. */
export function previewText(text: string): string | undefined {
  const newest = splitText(formatText(text), MAX_LENGTH).at(-1);
  return newest === undefined ? undefined : newest.trimEnd() + STILL_WRITING;
}

export function isPreviewText(content: string): boolean {
  return content.endsWith(STILL_WRITING.trimStart());
}
