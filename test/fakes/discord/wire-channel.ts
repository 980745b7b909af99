/** Channels, threads and guilds as JSON. */
import type { Snowflake } from './snowflakes.ts';
import { memberJson, rolesJson, userJson } from './wire-user.ts';
import {
  CHANNEL_TYPES,
  type Channel,
  channelsOf,
  type Guild,
  isThread,
  type Json,
  type ThreadState,
  type World,
} from './world.ts';

const FLAG_NEEDS_TAG = 1 << 4;

const lastMessageId = (world: World, channel: Channel): Snowflake | null =>
  [...(world.messages.get(channel.id)?.keys() ?? [])].at(-1) ?? null;

function threadJson(world: World, channel: Channel & { thread: ThreadState }): Json {
  const { thread } = channel;
  const count = world.messages.get(channel.id)?.size ?? 0;
  return {
    id: channel.id,
    type: CHANNEL_TYPES[channel.type],
    guild_id: channel.guildId,
    parent_id: channel.parentId,
    owner_id: thread.ownerId,
    name: channel.name,
    last_message_id: lastMessageId(world, channel),
    message_count: count,
    total_message_sent: count,
    member_count: thread.members.size,
    rate_limit_per_user: 0,
    flags: 0,
    ...(thread.tags.length > 0 ? { applied_tags: thread.tags } : {}),
    thread_metadata: {
      archived: thread.isArchived,
      locked: thread.isLocked,
      auto_archive_duration: thread.autoArchiveMinutes,
      archive_timestamp: new Date(thread.archiveChangedAt).toISOString(),
      create_timestamp: new Date(thread.createdAt).toISOString(),
      ...(channel.type === 'private-thread' ? { invitable: true } : {}),
    },
  };
}

export function channelJson(world: World, channel: Channel): Json {
  if (isThread(channel)) return threadJson(world, channel);
  const base = {
    id: channel.id,
    type: CHANNEL_TYPES[channel.type],
    last_message_id: lastMessageId(world, channel),
    flags: channel.needsTag ? FLAG_NEEDS_TAG : 0,
  };
  if (channel.guildId === undefined) return { ...base, recipients: channel.recipients.map(userJson) };
  return {
    ...base,
    guild_id: channel.guildId,
    name: channel.name,
    parent_id: channel.parentId ?? null,
    position: 0,
    topic: channel.topic,
    nsfw: false,
    rate_limit_per_user: 0,
    permission_overwrites: channel.overwrites.map(({ id, kind, allow, deny }) => ({
      id,
      type: kind === 'role' ? 0 : 1,
      allow: allow.toString(),
      deny: deny.toString(),
    })),
    ...(channel.type === 'forum' || channel.type === 'media' ? forumFields(channel) : {}),
    ...(channel.type === 'voice' || channel.type === 'stage'
      ? { bitrate: 64_000, user_limit: 0, rtc_region: null }
      : {}),
  };
}

const forumFields = (channel: Channel): Json => ({
  available_tags: channel.tags.map(({ id, name }) => ({
    id,
    name,
    moderated: false,
    emoji_id: null,
    emoji_name: null,
  })),
  default_reaction_emoji: null,
  default_sort_order: null,
  default_forum_layout: 0,
});

export function threadMemberJson(channel: Channel & { thread: ThreadState }, userId: Snowflake): Json {
  return {
    id: channel.id,
    user_id: userId,
    join_timestamp: new Date(channel.thread.createdAt).toISOString(),
    flags: 0,
  };
}

export const guildJson = (guild: Guild): Json => ({
  id: guild.id,
  name: guild.name,
  icon: null,
  splash: null,
  discovery_splash: null,
  description: null,
  banner: null,
  owner_id: guild.ownerId,
  afk_channel_id: null,
  afk_timeout: 300,
  widget_enabled: false,
  verification_level: 0,
  default_message_notifications: 0,
  explicit_content_filter: 0,
  roles: rolesJson(guild),
  emojis: [],
  stickers: [],
  features: [],
  mfa_level: 0,
  application_id: null,
  system_channel_id: null,
  system_channel_flags: 0,
  rules_channel_id: null,
  public_updates_channel_id: null,
  safety_alerts_channel_id: null,
  vanity_url_code: null,
  premium_tier: 0,
  premium_subscription_count: 0,
  premium_progress_bar_enabled: false,
  preferred_locale: 'en-US',
  nsfw_level: 0,
  nsfw: false,
  home_header: null,
  region: 'deprecated',
  widget_channel_id: null,
  max_members: 500_000,
  max_presences: null,
  max_stage_video_channel_users: 50,
  max_video_channel_users: 25,
  incidents_data: null,
});

/** What the gateway sends of a guild when it becomes known. */
export function guildCreateJson(world: World, guild: Guild): Json {
  const channels = channelsOf(world, guild.id);
  const me = guild.members.get(world.bot.id);
  return {
    ...guildJson(guild),
    joined_at: new Date(me?.joinedAt ?? 0).toISOString(),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    members: me ? [memberJson(me)] : [],
    channels: channels.filter((channel) => !isThread(channel)).map((channel) => channelJson(world, channel)),
    threads: channels
      .filter((channel) => isThread(channel) && !channel.thread.isArchived)
      .map((channel) => channelJson(world, channel)),
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}
