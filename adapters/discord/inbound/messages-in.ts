/**
 * Messages as they come in: translated, with their files, and handed over in the order of their place. What was missed comes
 * before what is said now.
 */
import { ChannelType } from 'discord.js';
import type { Address } from '../../../src/core/address.ts';
import type { Inbound, InboundFile } from '../../../src/core/message.ts';
import type { ChannelHandlers, InboundMessage } from '../../../src/ports/channel.ts';
import type { DiscordAdapterParts, Self } from '../account.ts';
import { type HeardMessage, heardSchema } from '../gateway/events.ts';
import { type Insist, type InTurn, insist } from '../gateway/in-turn.ts';
import { addressIn, type KnownPlace, type Places } from '../gateway/places.ts';
import { type FetchFiles, unfetched } from './attachments.ts';
import { isSaidByOthers, type Surroundings, toInbound } from './inbound.ts';
import type { MessageReplies } from './message-reply.ts';

export interface MessagesIn {
  /** A message of the gateway; it is kept waiting while `first` is under way. Never rejects. */
  hear(data: unknown, self: Self, first: Promise<void>): Promise<void>;
  /** With its files. `roles`: of the sender, where the message does not say them. */
  translate(
    message: HeardMessage,
    place: KnownPlace,
    self: Self,
    roles?: readonly string[],
  ): Promise<InboundMessage>;
  /** Whether somebody might want an answer to it, as far as can be told here. */
  mayMatter(message: HeardMessage, place: KnownPlace, self: Self): boolean;
}

export interface MessagesInParts {
  readonly account: string;
  readonly handlers: ChannelHandlers;
  readonly places: Places;
  readonly inTurn: InTurn;
  readonly insisting: Insist;
  readonly fetchFiles: FetchFiles;
  readonly replies: MessageReplies;
  readonly hearsUnaddressed: DiscordAdapterParts['hearsUnaddressed'];
}

export function createMessagesIn(parts: MessagesInParts): MessagesIn {
  const { account, handlers, places, inTurn, insisting, fetchFiles, replies } = parts;

  function read(message: HeardMessage, place: KnownPlace, self: Self, roles?: readonly string[]): Inbound {
    const around: Surroundings = {
      self,
      address: addressIn(account, place),
      place,
      placeName: places.nameOf(place),
      ...(roles && { roles }),
    };
    return toInbound(message, around);
  }

  /** Files of what is said past the bot are not worth fetching. */
  function isWorthFiles({ address, isAddressed, place }: Inbound): boolean {
    return isAddressed || address.thread !== undefined || parts.hearsUnaddressed(address, place ?? {});
  }

  /** Strangers cannot make us fetch anything. */
  async function filesOf({ attachments }: HeardMessage, inbound: Inbound): Promise<readonly InboundFile[]> {
    if (attachments.length === 0 || !isWorthFiles(inbound)) return [];
    const named = unfetched(attachments);
    return (await handlers.mayTalk({ ...inbound, files: named })) ? fetchFiles(attachments) : named;
  }

  async function translate(
    message: HeardMessage,
    place: KnownPlace,
    self: Self,
    roles?: readonly string[],
  ): Promise<InboundMessage> {
    const inbound = read(message, place, self, roles);
    const files = await filesOf(message, inbound);
    const { address, eventId } = inbound;
    return {
      ...inbound,
      ...(files.length > 0 && { files }),
      reply: ({ text }) => replies.say({ address, eventId, replyTo: eventId }, text),
    };
  }

  async function handOver(message: HeardMessage, self: Self): Promise<void> {
    const { id: eventId, channel_id: channelId } = message;
    const fields = { eventId, channelId };
    // Files are fetched once, however often the store is busy.
    const inbound = await insist(insisting, fields, async () =>
      translate(message, await placeFor(message), self),
    );
    if (inbound) await insist(insisting, fields, () => handlers.message(inbound));
  }

  async function placeFor({ channel_id: id, guild_id }: HeardMessage): Promise<KnownPlace> {
    return guild_id === undefined ? { id, name: '', isDirect: true } : places.find(id);
  }

  return {
    async hear(data, self, first) {
      const message = heardSchema.parse(data);
      if (!isSaidByOthers(message, self)) return;
      if (message.channel_type === ChannelType.GroupDM) {
        insisting.log.info(
          { eventId: message.id },
          'a message was dropped: groups without a server are not served',
        );
        return;
      }
      await first;
      await inTurn.at(message.channel_id, () => handOver(message, self));
    },
    translate,
    mayMatter: (message, place, self) =>
      isSaidByOthers(message, self) && isWorthFiles(read(message, place, self)),
  };
}

/** The place that is a direct conversation, or the thread or channel, of that address, without asking Discord. */
export function placeAt({ chatType, conversation, thread }: Address): KnownPlace {
  return {
    id: thread ?? conversation,
    ...(thread !== undefined && { parentId: conversation }),
    name: '',
    isDirect: chatType === 'direct',
  };
}
