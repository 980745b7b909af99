/**
 * What people write: stored first, then handed over.
 *
 *   post → store (needs admission) → handlers.message → mark admitted → answer
 *
 * A message that was stored but not handed over (a crash, or a handler that failed) is offered again until it is. The same
 * id posted again has no second effect, because the store keeps the first and the handlers recognise the event. A new message
 * waits for those that were stored before it and could not be handed over yet, so that it does not overtake them.
 */
import type { Inbound } from '../../src/core/message.ts';
import { asError } from '../../src/errors.ts';
import type { ChannelHandlers, CommandReply, InboundReceipt } from '../../src/ports/channel.ts';
import type { ChatMessage, ChatStore } from '../../src/ports/chat-store.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Ids } from '../../src/ports/ids.ts';
import type { Log } from '../../src/ports/log.ts';
import { addressOf, senderOf } from './addresses.ts';
import { createAdmittedMarks } from './admitted-marks.ts';
import { OWNER, type PostMessage } from './schema.ts';

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 30_000;

export type Posted =
  /** `receipt` is absent when the handover failed and will be repeated. */
  | { readonly status: 'accepted'; readonly messageId: string; readonly receipt?: InboundReceipt }
  | { readonly status: 'unknown-thread' }
  /** The id belongs to another message. */
  | { readonly status: 'conflict' }
  | { readonly status: 'not-started' };

export interface Inbox {
  start(handlers: ChannelHandlers): Promise<void>;
  /** Takes no more messages and waits for handovers under way. */
  stop(): Promise<void>;
  post(body: PostMessage): Promise<Posted>;
}

export interface InboxParts {
  readonly store: ChatStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Tells listeners that something was stored. */
  readonly stored: () => void;
  /** Shows the answer to the event `eventId`, once. */
  readonly reply: (inbound: Inbound, reply: CommandReply) => Promise<void>;
}

export function createInbox(parts: InboxParts): Inbox {
  const { store, clock, log } = parts;
  const marks = createAdmittedMarks(store, clock, log);
  const underWay = new Set<Promise<unknown>>();
  let handlers: ChannelHandlers | undefined;
  let cancelRetry: (() => void) | undefined;
  let retryMs = FIRST_RETRY_MS;
  /** Settles when what was stored earlier has been offered. */
  let backlog = Promise.resolve();

  function handOver(to: ChannelHandlers, inbound: Inbound): Promise<InboundReceipt> {
    const handover = to.message({ ...inbound, reply: (reply) => parts.reply(inbound, reply) });
    const settled = handover.catch(() => undefined).finally(() => underWay.delete(settled));
    underWay.add(settled);
    return handover;
  }

  /** `undefined` when it failed; another attempt is then due. */
  async function offer(to: ChannelHandlers, message: ChatMessage): Promise<InboundReceipt | undefined> {
    try {
      const receipt = await handOver(to, inboundOf(message));
      marks.add(message.id);
      return receipt;
    } catch (error) {
      log.error(
        { err: asError(error), messageId: message.id },
        'A message could not be handed over; trying again',
      );
      retryLater();
      return undefined;
    }
  }

  function retryLater(): void {
    if (cancelRetry || !handlers) return;
    cancelRetry = clock.after(retryMs, () => {
      cancelRetry = undefined;
      backlog = offerAll();
    });
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
  }

  async function offerAll(): Promise<void> {
    try {
      let hasFailed = false;
      // One that fails again and again must not hold up those behind it.
      for (const message of await store.unadmitted()) {
        if (!handlers) return;
        if ((await offer(handlers, message)) === undefined) hasFailed = true;
      }
      if (!hasFailed) retryMs = FIRST_RETRY_MS;
    } catch (error) {
      log.error({ err: asError(error) }, 'Messages that still have to be handed over could not be read');
      retryLater();
    }
  }

  /** Offers at once what would otherwise be offered again a little later. */
  function clearBacklog(): Promise<void> {
    if (cancelRetry) {
      cancelRetry();
      cancelRetry = undefined;
      backlog = offerAll();
    }
    return backlog;
  }

  async function press(body: PostMessage, id: string): Promise<Posted> {
    if (await store.getMessage(id)) return { status: 'conflict' };
    if (!handlers) return { status: 'not-started' };
    const receipt = await handOver(handlers, {
      address: addressOf(body),
      eventId: id,
      sender: senderOf(body.user ?? OWNER),
      text: body.text,
      source: 'button',
      isAddressed: true,
      at: clock.now(),
    });
    return { status: 'accepted', messageId: id, receipt };
  }

  return {
    async start(given) {
      handlers = given;
      backlog = offerAll();
      await backlog;
      await marks.flush();
    },
    async stop() {
      handlers = undefined;
      cancelRetry?.();
      cancelRetry = undefined;
      await Promise.all(underWay);
      await marks.flush();
    },
    async post(body) {
      if (!handlers) return { status: 'not-started' };
      if (body.thread !== undefined) {
        const thread = await store.getThread(body.thread);
        if (thread?.conversation !== body.conversation) return { status: 'unknown-thread' };
      }
      const id = body.id ?? parts.ids.uuid();
      if (body.via === 'button') return press(body, id);
      const { message, isNew } = await store.addMessage({
        id,
        conversation: body.conversation,
        ...(body.thread !== undefined && { thread: body.thread }),
        author: { kind: 'user', name: body.user ?? OWNER },
        text: body.text,
        at: clock.now(),
        needsAdmission: true,
      });
      if (isNew) parts.stored();
      else if (!isSameMessage(message, body)) return { status: 'conflict' };
      // Stopped meanwhile: the message is stored and will be offered at the next start.
      await clearBacklog();
      const receipt = handlers && (await offer(handlers, message));
      return { status: 'accepted', messageId: id, ...(receipt && { receipt }) };
    },
  };
}

function inboundOf(message: ChatMessage): Inbound {
  return {
    address: addressOf(message),
    eventId: message.id,
    sender: senderOf(message.author.name),
    text: message.text,
    source: 'message',
    isAddressed: true,
    at: message.at,
  };
}

function isSameMessage(message: ChatMessage, body: PostMessage): boolean {
  return (
    message.author.kind === 'user' &&
    message.author.name === (body.user ?? OWNER) &&
    message.conversation === body.conversation &&
    message.thread === body.thread &&
    message.text === body.text
  );
}
