/** What the stand-in says of files: it can tell that they arrived, and nothing of what is in them. */
import type { ModelMessage } from '../../../src/ports/model.ts';

function sizeOf(bytes: number): string {
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KiB`;
}

/** Empty when the messages brought no files. */
export function receivedText(messages: readonly ModelMessage[]): string {
  const names = messages.flatMap((message) => {
    if (message.role !== 'user') return [];
    const files = [...message.text.matchAll(/^\[file ([^\]\n]+)\]$/gm)].map(
      (match) => `the file **${match[1]}**`,
    );
    const pictures = (message.images ?? []).map(
      ({ name, bytes }) => `the picture **${name}** (${sizeOf(bytes.length)})`,
    );
    return [...files, ...pictures];
  });
  return names.length === 0 ? '' : `I got ${names.join(', ')}.`;
}
