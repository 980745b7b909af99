/**
 * Server-sent events. Durable ones (`message`, `card`, `thread`) are read from the store, each listener at its own pace,
 * and carry the store's number as their id; lossy ones (`typing`, `delta`, `queued`) carry none and are dropped for whoever is slow.
 *
 *   something stored → wake listeners → each reads on from where it is → frames
 *
 * A listener holds at most one buffer of frames. One that has not taken any for a whole heartbeat is let go; it resumes
 * from its last id.
 */
import { asError } from '../../src/errors.ts';
import type { ChatStore } from '../../src/ports/chat-store.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import { createListener, type Frame, type Listener } from './listener.ts';

const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;

export interface Subscription {
  /** The id of the last event that the client has; absent: only what comes from now on. */
  readonly after?: number;
  /** Only events of that conversation. */
  readonly conversation?: string;
  /** Adds an `html` field, ready to be put into the page. */
  readonly asHtml: boolean;
}

export interface Signalled {
  readonly type: string;
  readonly conversation: string;
}

export interface EventHub {
  /** Something was stored: listeners read on. */
  stored(): void;
  /** Tells whoever listens, and nobody later. */
  signal(signal: Signalled): void;
  open(subscription: Subscription): Promise<Response>;
  /** Ends every stream. */
  close(): void;
}

export interface EventHubParts {
  readonly store: ChatStore;
  readonly clock: Clock;
  readonly log: Log;
  /** What a newcomer is told first. */
  readonly snapshot: () => readonly Signalled[];
  /** The event's data as a piece of the page; `undefined` where the page has no use for one. */
  readonly renderHtml: (type: string, data: object) => string | undefined;
}

export function createEventHub(parts: EventHubParts): EventHub {
  const { store, clock, log } = parts;
  const listeners = new Map<Listener, Subscription>();
  let isClosed = false;

  function frameOf(subscription: Subscription, type: string, data: object, id?: number): Frame {
    const html = subscription.asHtml ? parts.renderHtml(type, data) : undefined;
    return { type, data: html === undefined ? data : { ...data, html }, ...(id !== undefined && { id }) };
  }

  function tell(listener: Listener, subscription: Subscription, { type, ...data }: Signalled): void {
    const { conversation } = subscription;
    if (conversation !== undefined && conversation !== data.conversation) return;
    listener.push(frameOf(subscription, type, data));
  }

  async function subscribe(subscription: Subscription): Promise<Listener> {
    const last = await store.lastEventSeq();
    // An id from the future belongs to a store that is gone: the client must read everything anew.
    const isForeign = subscription.after !== undefined && subscription.after > last;
    const listener: Listener = createListener({
      cursor: isForeign ? last : (subscription.after ?? last),
      read: async (after, limit) =>
        (await store.eventsAfter(after, limit)).map((event) => ({
          seq: event.seq,
          frame:
            subscription.conversation !== undefined && subscription.conversation !== event.conversation
              ? undefined
              : frameOf(subscription, event.type, event.data as object, event.seq),
        })),
      failed: (error) => log.error({ err: asError(error) }, 'Events could not be read; a stream was ended'),
      closed: () => {
        cancelBeat();
        listeners.delete(listener);
      },
    });
    let cancelBeat = clock.after(HEARTBEAT_MS, function beat() {
      listener.beat();
      if (listeners.has(listener)) cancelBeat = clock.after(HEARTBEAT_MS, beat);
    });
    listeners.set(listener, subscription);
    listener.push({ comment: 'connected', retryMs: RETRY_MS });
    if (isForeign) listener.push({ type: 'reset', data: {}, id: last });
    listener.wake();
    for (const signal of parts.snapshot()) tell(listener, subscription, signal);
    return listener;
  }

  return {
    stored() {
      for (const listener of listeners.keys()) listener.wake();
    },
    signal(signal) {
      for (const [listener, subscription] of listeners) tell(listener, subscription, signal);
    },
    async open(subscription) {
      const listener = await subscribe(subscription);
      if (isClosed) listener.close();
      return new Response(listener.stream, {
        headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' },
      });
    },
    close() {
      isClosed = true;
      for (const listener of [...listeners.keys()]) listener.close();
    },
  };
}
