/**
 * Ends a call that the caller gave up or that the provider lets hang. The signal it hands to the SDK is always aborted
 * without a reason: with a custom one the SDK reports a provider error instead of an abort.
 */
import type { Clock } from '../../../src/ports/clock.ts';

/** How long a provider may take for its first byte (a local server loads its model first), and between two bytes. */
export const SILENCE_MS = 60_000;

export type Ended = 'aborted' | 'timeout';

export interface Watchdog {
  readonly signal: AbortSignal;
  /** Resolves when the call is to end; never rejects. */
  readonly ended: Promise<Ended>;
  why(): Ended | undefined;
  /** The provider gave a sign of life. */
  touch(): void;
  /** Ends whatever is still open and lets go of timer and listener. */
  close(): void;
}

export function createWatchdog(clock: Clock, caller: AbortSignal): Watchdog {
  const controller = new AbortController();
  const { promise, resolve } = Promise.withResolvers<Ended>();
  let reason: Ended | undefined;
  let lastSignAt = clock.now();

  const end = (why: Ended) => {
    if (reason !== undefined) return;
    reason = why;
    controller.abort();
    resolve(why);
  };
  const onAbort = () => end('aborted');
  const check = () => {
    const leftMs = lastSignAt + SILENCE_MS - clock.now();
    if (leftMs <= 0) end('timeout');
    else cancel = clock.after(leftMs, check);
  };
  let cancel = clock.after(SILENCE_MS, check);
  if (caller.aborted) onAbort();
  else caller.addEventListener('abort', onAbort, { once: true });

  return {
    signal: controller.signal,
    ended: promise,
    why: () => reason,
    touch: () => {
      lastSignAt = clock.now();
    },
    close: () => {
      cancel();
      caller.removeEventListener('abort', onAbort);
      controller.abort();
    },
  };
}

/**
 * A fetch whose response bytes count as signs of life, also those that the SDK swallows (comments that keep alive).
 * `onBytes` is told the signal that the request was made with.
 */
export function watchedFetch(base: typeof fetch, onBytes: (signal: AbortSignal) => void): typeof fetch {
  return async (input, init) => {
    const response = await base(input, init);
    const signal = init?.signal;
    if (!signal) return response;
    onBytes(signal);
    if (!response.body) return response;
    return new Response(
      counted(response.body, () => onBytes(signal)),
      response,
    );
  };
}

/** The same bytes. Cheaper than a transform, which is two streams and a pipe. */
function counted(body: ReadableStream<Uint8Array>, onBytes: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        onBytes();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
