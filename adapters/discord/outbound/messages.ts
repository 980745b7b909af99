/**
 * Messages of ours: sent once, and found again. A message for a thread never lands beside it; a thread that sleeps is woken
 * for it, unless people have locked it.
 */
import { RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Address } from '../../../src/core/address.ts';
import type { AppError } from '../../../src/errors.ts';
import type { AdapterMemory } from '../../../src/ports/adapter-memory.ts';
import type { ChannelAdapter, OutboundPart } from '../../../src/ports/channel.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { placeChannelId } from '../addresses.ts';
import type { CallDiscord } from '../calls.ts';
import { asChannelError, discordCode } from '../errors.ts';
import type { Lookups } from '../lookups.ts';
import type { PermissionKey } from '../permissions/needed-permissions.ts';
import type { ExplainRefusal } from '../permissions/permission-advice.ts';
import { sentSchema } from '../schema.ts';
import type { ForumPosts } from './forum-posts.ts';
import { type DrawnPart, drawPart, newMessageBody, uploads } from './message-body.ts';
import { searchSent } from './sent-search.ts';
import type { Threads } from './threads.ts';

/** So long after a part was made Discord surely still knows its nonce, and sending it again is the safest way to find it. */
const NONCE_IS_KNOWN_MS = 2 * 60_000;
/** How many parts are remembered as sent. */
const MAX_SENT = 1_000;

export type Messages = Pick<ChannelAdapter, 'send' | 'findSent'>;

export interface MessagesParts {
  readonly call: CallDiscord;
  readonly lookups: Lookups;
  readonly threads: Threads;
  readonly forums: ForumPosts;
  readonly explain: ExplainRefusal;
  readonly memory: AdapterMemory;
  readonly clock: Clock;
}

export function createMessages(parts: MessagesParts): Messages {
  const { call, lookups, threads, forums, explain, memory, clock } = parts;
  /** Message ids by part, oldest first. */
  const sent = new Map<string, string>();

  async function post(part: OutboundPart, drawn: DrawnPart): Promise<string> {
    const files = uploads(part.file);
    const { id } = await call({
      what: 'send',
      method: 'POST',
      route: Routes.channelMessages(placeChannelId(part.address)),
      body: newMessageBody(drawn, part),
      ...(files.length > 0 && { files }),
      answer: sentSchema,
    });
    return id;
  }

  /** Posts it in the one way that Discord may want instead. */
  async function postOtherwise(error: AppError, part: OutboundPart, drawn: DrawnPart): Promise<string> {
    const { address, replyTo, ...rest } = part;
    switch (discordCode(error)) {
      case RESTJSONErrorCodes.CannotSendMessagesInNonTextChannel:
        if (address.thread === undefined && (await forums.isForum(address.conversation))) {
          return forums.create(part);
        }
        break;
      case RESTJSONErrorCodes.InvalidActionOnArchivedThread:
        if (address.thread !== undefined) {
          await threads.wake(address.thread);
          return post(part, drawn);
        }
        break;
      case RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory:
        if (replyTo !== undefined) return post({ ...rest, address }, drawn);
    }
    throw error;
  }

  async function sendOnce(part: OutboundPart): Promise<string> {
    const drawn = drawPart(part);
    if (isForumAddress(part.address)) return forums.create(part);
    for (const { key, value } of drawn.remember) await memory.set(key, value);
    try {
      return await post(part, drawn);
    } catch (thrown) {
      return postOtherwise(asChannelError(thrown, 'send'), part, drawn);
    }
  }

  /** Of an unknown forum nothing can be known to have been sent either: sending asks. */
  const isForumAddress = ({ conversation, thread }: Address) =>
    thread === undefined && forums.isKnown(conversation);

  function remember(part: string, message: string): void {
    sent.set(part, message);
    for (const oldest of sent.keys()) {
      if (sent.size <= MAX_SENT) break;
      sent.delete(oldest);
    }
  }

  async function search(part: OutboundPart): Promise<string | undefined> {
    const { address, replyTo, file, madeAt } = part;
    const post = await forums.find(part);
    if (post !== undefined || isForumAddress(address)) return post;
    if (madeAt !== undefined && clock.now() - madeAt < NONCE_IS_KNOWN_MS) return undefined;
    const others = new Set(sent.values());
    const wanted = { self: await lookups.selfId(), drawn: drawPart(part), replyTo, file, others };
    try {
      return await searchSent(call, placeChannelId(address), madeAt, wanted);
    } catch (thrown) {
      // A forum in which no post was begun.
      if (discordCode(thrown) === RESTJSONErrorCodes.CannotSendMessagesInNonTextChannel) return undefined;
      throw thrown;
    }
  }

  return {
    async send(part) {
      try {
        const messageId = await sendOnce(part);
        remember(part.id, messageId);
        return { messageId };
      } catch (thrown) {
        throw await explain(asChannelError(thrown, 'send'), part.address, sendingNeeds(part));
      }
    },
    async findSent(part) {
      try {
        const messageId = sent.get(part.id) ?? (await search(part));
        if (messageId === undefined) return undefined;
        remember(part.id, messageId);
        return { messageId };
      } catch (thrown) {
        throw asChannelError(thrown, 'look for a message');
      }
    },
  };
}

function sendingNeeds({ address, file }: OutboundPart): readonly PermissionKey[] {
  const writing = address.thread === undefined ? 'send' : 'send-in-threads';
  return ['view', writing, ...(file ? (['attach'] as const) : [])];
}
