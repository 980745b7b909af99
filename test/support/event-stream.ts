/** Reads server-sent events as a client does, one at a time. */
import { onTestFinished } from 'vitest';

export interface StreamedEvent {
  readonly id?: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

export interface EventStream {
  /** The next event; rejects when the stream ends first. */
  next(): Promise<StreamedEvent>;
  /** Resolves when the server has ended the stream, whatever came before. */
  ended(): Promise<void>;
  close(): void;
}

export async function openEvents(url: string, headers: Record<string, string>): Promise<EventStream> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await fetch(url, { headers, signal: abort.signal });
  if (!response.body || response.status !== 200) throw new Error(`no event stream: ${response.status}`);
  const events = parse(response.body);
  return {
    async next() {
      const { value, done } = await events.next();
      if (done) throw new Error('the stream has ended');
      return value;
    },
    async ended() {
      try {
        while (!(await events.next()).done);
      } catch {
        // A connection that was cut has ended too.
      }
    },
    close: () => abort.abort(),
  };
}

async function* parse(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent, void> {
  const decoder = new TextDecoder();
  let buffer = '';
  for await (const chunk of body) {
    buffer += decoder.decode(chunk, { stream: true });
    const blocks = buffer.split('\n\n');
    buffer = blocks.pop()!;
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => split(line)));
      const data = fields.get('data');
      const id = fields.get('id');
      if (data === undefined) continue;
      yield {
        type: fields.get('event') ?? 'message',
        data: JSON.parse(data),
        ...(id !== undefined && { id }),
      };
    }
  }
}

function split(line: string): [string, string] {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon), line.slice(colon + 2)];
}
