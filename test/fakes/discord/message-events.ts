/** What the gateway says of messages, reactions and typing. */
import { INTENTS, type Platform } from './platform.ts';
import { emojiJson, messageEventJson } from './wire-message.ts';
import { memberJson } from './wire-user.ts';
import type { Channel, Message, User } from './world.ts';

const place = (channel: Channel) => ({
  channel,
  ...(channel.guildId === undefined ? {} : { guildId: channel.guildId }),
});

const guildIdJson = (channel: Channel) =>
  channel.guildId === undefined ? {} : { guild_id: channel.guildId };

function channelOf(platform: Platform, message: Message): Channel {
  const channel = platform.world.channels.get(message.channelId);
  if (!channel) throw new Error(`no channel ${message.channelId} for message ${message.id}`);
  return channel;
}

/** The nonce is told once, with the event of the message's making. */
export function publishMessageCreate(platform: Platform, message: Message, nonce?: string | number): void {
  const channel = channelOf(platform, message);
  platform.publish({
    name: 'MESSAGE_CREATE',
    ...place(channel),
    intents: channel.guildId === undefined ? INTENTS.directMessages : INTENTS.guildMessages,
    data: (hasContent) => ({
      ...messageEventJson(platform, message, hasContent),
      ...(nonce === undefined ? {} : { nonce }),
    }),
  });
}

export function publishMessageUpdate(platform: Platform, message: Message): void {
  const channel = channelOf(platform, message);
  platform.publish({
    name: 'MESSAGE_UPDATE',
    ...place(channel),
    intents: channel.guildId === undefined ? INTENTS.directMessages : INTENTS.guildMessages,
    data: (hasContent) => messageEventJson(platform, message, hasContent),
  });
}

export function publishMessageDelete(platform: Platform, message: Message): void {
  const channel = channelOf(platform, message);
  platform.publish({
    name: 'MESSAGE_DELETE',
    ...place(channel),
    intents: channel.guildId === undefined ? INTENTS.directMessages : INTENTS.guildMessages,
    data: () => ({ id: message.id, channel_id: channel.id, ...guildIdJson(channel) }),
  });
}

export function publishReaction(
  platform: Platform,
  name: 'MESSAGE_REACTION_ADD' | 'MESSAGE_REACTION_REMOVE',
  { message, user, emoji }: { message: Message; user: User; emoji: string },
): void {
  const channel = channelOf(platform, message);
  const member = platform.world.guilds.get(channel.guildId ?? '')?.members.get(user.id);
  const isAdded = name === 'MESSAGE_REACTION_ADD';
  platform.publish({
    name,
    ...place(channel),
    intents: channel.guildId === undefined ? INTENTS.directReactions : INTENTS.guildReactions,
    data: () => ({
      user_id: user.id,
      channel_id: channel.id,
      message_id: message.id,
      ...guildIdJson(channel),
      emoji: emojiJson(emoji),
      burst: false,
      type: 0,
      ...(isAdded ? { message_author_id: message.author.id } : {}),
      ...(isAdded && member ? { member: memberJson(member) } : {}),
    }),
  });
}

export function publishTyping(platform: Platform, channel: Channel, user: User): void {
  const member = platform.world.guilds.get(channel.guildId ?? '')?.members.get(user.id);
  platform.publish({
    name: 'TYPING_START',
    ...place(channel),
    intents: channel.guildId === undefined ? INTENTS.directTyping : INTENTS.guildTyping,
    data: () => ({
      channel_id: channel.id,
      ...guildIdJson(channel),
      user_id: user.id,
      timestamp: Math.floor(platform.now() / 1000),
      ...(member ? { member: memberJson(member) } : {}),
    }),
  });
}
