/** Messages of Discord as inbound messages. It decides nothing: who is heard, and as what, is not its business. Pure. */
import { MessageType } from 'discord.js';
import type { Address } from '../../../src/core/address.ts';
import type { Inbound, PlaceFacts, Quote, Sender } from '../../../src/core/message.ts';
import type { Self } from '../account.ts';
import type { HeardMessage, Person } from '../gateway/events.ts';
import type { KnownPlace } from '../gateway/places.ts';
import { mentions, readableText } from './mention-text.ts';

/** What only somebody says; everything else Discord writes itself, such as that a thread was renamed. */
const SAID: readonly number[] = [MessageType.Default, MessageType.Reply];

export function isSaidByOthers({ type, author }: HeardMessage, self: Self): boolean {
  return SAID.includes(type) && author.id !== self.id;
}

export function nameOf(person: Person, member?: { readonly nick?: string | null | undefined }): string {
  return member?.nick || person.global_name || person.username;
}

export interface Surroundings {
  readonly self: Self;
  readonly address: Address;
  readonly place: KnownPlace;
  /** As people know it. */
  readonly placeName: string | undefined;
  /** The sender's roles, where the message does not say them. */
  readonly roles?: readonly string[];
}

/** Without its files. */
export function toInbound(message: HeardMessage, around: Surroundings): Inbound {
  const { author, content, member } = message;
  const { self, address } = around;
  const people = message.mentions.map((person) => ({ id: person.id, name: nameOf(person, person.member) }));
  const isNamed = people.some(({ id }) => id === self.id);
  const isReplyToUs = message.referenced_message?.author.id === self.id;
  const quote = quoteOf(message);
  return {
    address,
    eventId: message.id,
    sender: senderOf(author, member, message.webhook_id !== undefined),
    text: readableText(content, self, people),
    source: 'message',
    isAddressed: address.chatType === 'direct' || isNamed || isReplyToUs,
    isMention: isNamed && mentions(content, self.id),
    place: placeFacts(around, message.member?.roles ?? around.roles),
    ...(quote && { quote }),
    at: Date.parse(message.timestamp),
  };
}

export function senderOf(
  person: Person,
  member: { readonly nick?: string | null | undefined } | undefined,
  isWebhook = false,
): Sender {
  return { id: person.id, name: nameOf(person, member), isBot: isWebhook || person.bot === true };
}

export function placeFacts(
  { place, placeName, self }: Omit<Surroundings, 'address'>,
  roles: readonly string[] | undefined,
): PlaceFacts {
  return {
    ...(place.guildId !== undefined && { space: place.guildId }),
    ...(placeName !== undefined && { name: placeName }),
    ...(roles && { roles }),
    ...(place.parentId !== undefined && { isOwnThread: place.ownerId === self.id }),
  };
}

function quoteOf({ referenced_message: said }: HeardMessage): Quote | undefined {
  if (!said || said.content === '') return undefined;
  const isBot = said.webhook_id !== undefined || said.author.bot === true;
  return { author: nameOf(said.author), isBot, text: said.content };
}
