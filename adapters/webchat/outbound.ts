/**
 * What Skein says: parts become messages whose id follows from the part's id, so that sending again shows nothing new. A
 * part for a thread that does not exist is refused; it never lands in the channel instead.
 */
import type { Inbound } from '../../src/core/message.ts';
import { AppError } from '../../src/errors.ts';
import type { ChannelAdapter, CommandReply, OutboundPart, Receipt } from '../../src/ports/channel.ts';
import type { ChatMessage, ChatStore } from '../../src/ports/chat-store.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { messageIdFor, type Place, placeOf } from './addresses.ts';
import { asChannelCall, unknownThread } from './errors.ts';

export const MAX_PART_LENGTH = 20_000;

export interface Outbox extends Pick<ChannelAdapter, 'send' | 'findSent' | 'edit'> {
  /** Answers a command where it was given. */
  reply(inbound: Inbound, reply: CommandReply): Promise<void>;
}

export interface OutboxParts {
  readonly store: ChatStore;
  readonly clock: Clock;
  readonly agentName: string;
  /** Tells listeners that something was stored. */
  readonly stored: () => void;
  /** Called once a message of ours stands in that place, where a preview of it may have been shown. */
  readonly said: (place: Place) => void;
}

export function createOutbox(parts: OutboxParts): Outbox {
  const { store, clock, agentName } = parts;

  async function say(message: Pick<ChatMessage, 'id' | 'text' | 'card'> & Place): Promise<Receipt> {
    const { id, conversation, thread, text, card } = message;
    if (thread !== undefined && (await store.getThread(thread))?.conversation !== conversation) {
      throw unknownThread(thread);
    }
    const added = await store.addMessage({
      id,
      conversation,
      ...(thread !== undefined && { thread }),
      author: { kind: 'bot', name: agentName },
      text,
      at: clock.now(),
      ...(card && { card }),
      needsAdmission: false,
    });
    if (added.message.author.kind !== 'bot') {
      throw new AppError('channel-invalid', `Message ${id} was written by somebody else.`);
    }
    if (added.isNew) {
      parts.said(message);
      parts.stored();
    }
    return { messageId: id };
  }

  return {
    send: (part) =>
      asChannelCall(() => {
        checkLength(part);
        const { text, card } = part;
        return say({ id: messageIdFor('m', part.id), ...placeOf(part.address), text, ...(card && { card }) });
      }),
    findSent: (part) =>
      asChannelCall(async () => {
        const message = await store.getMessage(messageIdFor('m', part.id));
        return message?.author.kind === 'bot' ? { messageId: message.id } : undefined;
      }),
    edit: (target, part) =>
      asChannelCall(async () => {
        checkLength(part);
        const message = await store.getMessage(target.messageId);
        if (message?.author.kind !== 'bot' || message.conversation !== target.address.conversation) {
          throw new AppError(
            'channel-not-found',
            `The web chat has no message ${target.messageId} of ours there.`,
          );
        }
        await store.editMessage(message.id, { text: part.text, ...(part.card && { card: part.card }) });
        parts.stored();
      }),
    reply: (inbound, reply) =>
      asChannelCall(async () => {
        await say({
          id: messageIdFor('r', inbound.eventId),
          ...placeOf(inbound.address),
          text: reply.text,
        });
      }),
  };
}

function checkLength(part: Pick<OutboundPart, 'text'>): void {
  if (part.text.length <= MAX_PART_LENGTH) return;
  throw new AppError(
    'channel-invalid',
    `A part may hold ${MAX_PART_LENGTH} characters, not ${part.text.length}.`,
  );
}
