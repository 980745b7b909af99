/** Messages as JSON, whole or emptied for an application that may not read what it was not told. */
import { hasContentFlag, type Platform } from './platform.ts';
import { channelJson } from './wire-channel.ts';
import { partialMemberJson, userJson } from './wire-user.ts';
import { type Attachment, CHANNEL_TYPES, isThread, type Json, type Message, type User } from './world.ts';

export const FLAG_HAS_THREAD = 1 << 5;
export const FLAG_EPHEMERAL = 1 << 6;
export const FLAG_LOADING = 1 << 7;

export const attachmentUrl = (platform: Platform, message: Message, { id, name }: Attachment): string =>
  `${platform.fileUrl()}/attachments/${message.channelId}/${id}/${encodeURIComponent(name)}`;

const attachmentJson = (platform: Platform, message: Message, attachment: Attachment): Json => ({
  id: attachment.id,
  filename: attachment.name,
  size: attachment.bytes.byteLength,
  url: attachmentUrl(platform, message, attachment),
  proxy_url: attachmentUrl(platform, message, attachment),
  content_type: attachment.contentType,
  ...(attachment.description === undefined ? {} : { description: attachment.description }),
});

/** Own messages, direct ones and those that mention the bot are always whole. */
function isReadable(platform: Platform, message: Message, hasContent: boolean): boolean {
  const { world } = platform;
  if (hasContent || message.author.id === world.bot.id) return true;
  if (world.channels.get(message.channelId)?.guildId === undefined) return true;
  return message.mentions.some(({ id }) => id === world.bot.id);
}

function reactionsJson(message: Message, botId: string): Json {
  if (message.reactions.size === 0) return {};
  const reactions = [...message.reactions].map(([emoji, users]) => ({
    emoji: emojiJson(emoji),
    count: users.size,
    count_details: { normal: users.size, burst: 0 },
    me: users.has(botId),
    me_burst: false,
    burst_colors: [],
  }));
  return { reactions };
}

/** `👍` or `name:id`. */
export function emojiJson(emoji: string): Json {
  const [name, id] = emoji.split(':');
  return { id: id ?? null, name };
}

function interactionJson(platform: Platform, message: Message): Json {
  const interaction = platform.world.interactions.get(message.interactionId ?? '');
  if (!interaction) return {};
  return {
    application_id: platform.world.application.id,
    webhook_id: platform.world.application.id,
    interaction_metadata: {
      id: interaction.id,
      type: interaction.type,
      user: userJson(interaction.user),
      authorizing_integration_owners: {},
    },
  };
}

function referenceJson(platform: Platform, message: Message, hasContent: boolean, isNested: boolean): Json {
  const { reference } = message;
  if (!reference) return {};
  const channel = platform.world.channels.get(reference.channelId);
  const target = platform.world.messages.get(reference.channelId)?.get(reference.messageId);
  return {
    message_reference: {
      type: 0,
      channel_id: reference.channelId,
      message_id: reference.messageId,
      ...(channel?.guildId === undefined ? {} : { guild_id: channel.guildId }),
    },
    ...(isNested ? {} : { referenced_message: target ? render(platform, target, hasContent, true) : null }),
  };
}

function threadOf(platform: Platform, message: Message): Json {
  const thread = platform.world.channels.get(message.id);
  if (!thread || !isThread(thread) || thread.id === message.channelId) return {};
  return { thread: channelJson(platform.world, thread) };
}

function render(platform: Platform, message: Message, hasContent: boolean, isNested: boolean): Json {
  const isWhole = isReadable(platform, message, hasContent);
  return {
    id: message.id,
    channel_id: message.channelId,
    type: message.type,
    author: userJson(message.author),
    content: isWhole ? message.content : '',
    embeds: isWhole ? message.embeds : [],
    components: isWhole ? message.components : [],
    attachments: isWhole ? message.attachments.map((each) => attachmentJson(platform, message, each)) : [],
    timestamp: new Date(message.at).toISOString(),
    edited_timestamp: message.editedAt === null ? null : new Date(message.editedAt).toISOString(),
    flags: message.flags,
    tts: message.isTts,
    pinned: message.isPinned,
    mention_everyone: message.mentionsEveryone,
    mention_roles: message.mentionedRoles,
    mentions: message.mentions.map(userJson),
    ...referenceJson(platform, message, hasContent, isNested),
    ...interactionJson(platform, message),
    ...reactionsJson(message, platform.world.bot.id),
    ...(isNested ? {} : threadOf(platform, message)),
  };
}

/** As a REST answer carries it. */
export const messageJson = (platform: Platform, message: Message): Json =>
  render(platform, message, hasContentFlag(platform.world.application.flags), false);

const memberOf = (platform: Platform, guildId: string, user: User): Json => {
  const member = platform.world.guilds.get(guildId)?.members.get(user.id);
  return member ? partialMemberJson(member) : {};
};

/** As the gateway carries it: with the guild, the member and the kind of channel. */
export function messageEventJson(platform: Platform, message: Message, hasContent: boolean): Json {
  const channel = platform.world.channels.get(message.channelId);
  const guildId = channel?.guildId;
  const body = render(platform, message, hasContent, false);
  return {
    ...body,
    channel_type: channel ? CHANNEL_TYPES[channel.type] : 0,
    ...(guildId === undefined
      ? {}
      : {
          guild_id: guildId,
          member: memberOf(platform, guildId, message.author),
          mentions: message.mentions.map((user) => ({
            ...userJson(user),
            member: memberOf(platform, guildId, user),
          })),
        }),
  };
}
