/** Files that came with a message, fetched from Discord where they are of a kind and size that is taken. Never rejects. */
import { MAX_FILES, MAX_PICTURE_BYTES, refusalOf } from '../../../src/core/attachments.ts';
import type { InboundFile } from '../../../src/core/message.ts';
import { asError } from '../../../src/errors.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { Attachment } from '../gateway/events.ts';

const TIMEOUT_MS = 15_000;
const NOT_FETCHED = 'it could not be fetched from Discord';
const TOO_MANY = `only ${MAX_FILES} files of one message are taken`;
const NOT_HEARD = 'whoever sent it was not heard when it came; send it again';
const UNKNOWN_TYPE = 'application/octet-stream';

export type FetchFiles = (attachments: readonly Attachment[]) => Promise<readonly InboundFile[]>;

/** As files whose sender is not heard. */
export function unfetched(attachments: readonly Attachment[]): readonly InboundFile[] {
  return attachments.map(({ filename: name }) => ({ name, refused: NOT_HEARD }));
}

/** `signal`: gives up what is under way. */
export function createFetchFiles({
  clock,
  log,
  signal,
}: {
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}): FetchFiles {
  async function bytesOf(url: string): Promise<Uint8Array> {
    const timeUp = new AbortController();
    const cancel = clock.after(TIMEOUT_MS, () => timeUp.abort());
    try {
      const response = await fetch(url, { signal: AbortSignal.any([signal, timeUp.signal]) });
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
      return await readUpTo(response.body, MAX_PICTURE_BYTES);
    } finally {
      cancel();
    }
  }

  async function fetchFile(
    { filename: name, content_type, size, url }: Attachment,
    index: number,
  ): Promise<InboundFile> {
    const mediaType = content_type ?? UNKNOWN_TYPE;
    if (index >= MAX_FILES) return { name, refused: TOO_MANY };
    const refused = refusalOf(name, mediaType, size);
    if (refused !== undefined) return { name, refused };
    try {
      return { name, mediaType, bytes: await bytesOf(url) };
    } catch (thrown) {
      log.warn({ err: asError(thrown) }, 'a file of a message could not be fetched');
      return { name, refused: NOT_FETCHED };
    }
  }

  return (attachments) => Promise.all(attachments.map(fetchFile));
}

/** Rejects once there is more: what Discord said about the size was wrong. */
async function readUpTo(body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit) throw new Error('it is larger than it was said to be');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
