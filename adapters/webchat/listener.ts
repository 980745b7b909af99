/**
 * One client of the event stream. It reads stored events from its cursor on whenever it is woken and its buffer has room;
 * what is only signalled waits behind a read that is under way, so that a final is never overtaken by what followed it.
 */
export type Frame =
  | { readonly type: string; readonly data: object; readonly id?: number }
  | { readonly comment: string; readonly retryMs?: number };

export interface Listener {
  readonly stream: ReadableStream<Uint8Array>;
  /** Stored events may have come: read on. */
  wake(): void;
  /** Adds a frame without a place in the store; dropped when the buffer is full. */
  push(frame: Frame): void;
  /** Keeps the connection alive, or ends it when the client takes nothing. */
  beat(): void;
  close(): void;
}

export interface ListenerParts {
  readonly cursor: number;
  /** Stored events after `after`, oldest first; `frame` is absent for those that this client did not ask for. */
  read(after: number, limit: number): Promise<readonly { seq: number; frame: Frame | undefined }[]>;
  failed(error: unknown): void;
  closed(): void;
}

const BUFFER_BYTES = 256 * 1024;
const PAGE = 100;

export function createListener(parts: ListenerParts): Listener {
  const encoder = new TextEncoder();
  const waiting: Frame[] = [];
  let cursor = parts.cursor;
  let isReading = false;
  let isBehind = false;
  let isClosed = false;
  let controller: ReadableStreamDefaultController<Uint8Array>;

  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      pull() {
        if (isBehind) wake();
      },
      cancel: finish,
    },
    { highWaterMark: BUFFER_BYTES, size: (chunk) => chunk.byteLength },
  );
  const hasRoom = () => !isClosed && (controller.desiredSize ?? 0) > 0;

  function write(frame: Frame): void {
    if (!isClosed) controller.enqueue(encoder.encode(encode(frame)));
  }

  function wake(): void {
    isBehind = true;
    if (!isReading) void readOn();
  }

  async function readOn(): Promise<void> {
    isReading = true;
    try {
      while (isBehind && hasRoom()) {
        isBehind = false;
        const page = await parts.read(cursor, PAGE);
        for (const { seq, frame } of page) {
          if (!hasRoom()) break;
          cursor = seq;
          if (frame) write(frame);
        }
        const isPartial = page.length === PAGE || (page.length > 0 && cursor !== page.at(-1)!.seq);
        // Never set back to false here: a wake that came during the read must not be lost.
        if (isPartial) isBehind = true;
      }
    } catch (error) {
      parts.failed(error);
      close();
    } finally {
      isReading = false;
    }
    for (const frame of waiting.splice(0)) push(frame);
  }

  function push(frame: Frame): void {
    if (!hasRoom()) return;
    if (isReading) waiting.push(frame);
    else write(frame);
  }

  function finish(): void {
    if (isClosed) return;
    isClosed = true;
    parts.closed();
  }

  function close(): void {
    if (!isClosed) controller.close();
    finish();
  }

  return {
    stream,
    wake,
    push,
    beat: () => (hasRoom() ? push({ comment: 'still here' }) : close()),
    close,
  };
}

function encode(frame: Frame): string {
  if ('comment' in frame) {
    const retry = frame.retryMs === undefined ? '' : `retry: ${frame.retryMs}\n`;
    return `: ${frame.comment}\n${retry}\n`;
  }
  const id = frame.id === undefined ? '' : `id: ${frame.id}\n`;
  return `${id}event: ${frame.type}\ndata: ${JSON.stringify(frame.data)}\n\n`;
}
