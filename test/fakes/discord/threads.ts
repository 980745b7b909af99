/** Threads open from a message, by themselves or as forum posts; they are renamed, archived, locked and deleted. */
import { refuse } from './api-error.ts';
import { demand, may } from './permissions.ts';
import { INTENTS, type Platform } from './platform.ts';
import type { Snowflake } from './snowflakes.ts';
import { channelJson, threadMemberJson } from './wire-channel.ts';
import {
  CHANNEL_TYPES,
  type Channel,
  type ChannelType,
  isThread,
  type Json,
  type ThreadState,
} from './world.ts';

export type Thread = Channel & { readonly thread: ThreadState };

export const THREADABLE: ReadonlySet<ChannelType> = new Set(['text', 'announcement']);
export const FORUMS: ReadonlySet<ChannelType> = new Set(['forum', 'media']);

const openThreadsOf = (platform: Platform, guildId: Snowflake): number =>
  [...platform.world.channels.values()].filter(
    (channel) => channel.guildId === guildId && isThread(channel) && !channel.thread.isArchived,
  ).length;

export interface NewThread {
  readonly id: Snowflake;
  readonly parent: Channel;
  readonly name: string;
  readonly ownerId: Snowflake;
  readonly type?: ChannelType;
  readonly autoArchiveMinutes?: number;
  readonly tags?: readonly Snowflake[];
}

/** Adds the thread without telling the gateway. Throws 160006 at the cap. */
export function addThread(platform: Platform, spec: NewThread): Thread {
  const { world, settings } = platform;
  const guildId = spec.parent.guildId ?? '';
  if (openThreadsOf(platform, guildId) >= settings.activeThreadCap) throw refuse(160006);
  const usual = spec.parent.type === 'announcement' ? 'announcement-thread' : 'public-thread';
  const thread: Thread = {
    id: spec.id,
    type: spec.type ?? usual,
    guildId,
    parentId: spec.parent.id,
    name: spec.name,
    topic: null,
    overwrites: [],
    recipients: [],
    tags: [],
    needsTag: false,
    thread: {
      ownerId: spec.ownerId,
      createdAt: platform.now(),
      isArchived: false,
      isLocked: false,
      autoArchiveMinutes: spec.autoArchiveMinutes ?? 4320,
      archiveChangedAt: platform.now(),
      tags: spec.tags ?? [],
      members: new Set([spec.ownerId]),
    },
  };
  world.channels.set(thread.id, thread);
  world.messages.set(thread.id, new Map());
  return thread;
}

export function publishThread(platform: Platform, name: 'THREAD_CREATE' | 'THREAD_UPDATE', thread: Thread) {
  const botId = platform.world.bot.id;
  const isCreated = name === 'THREAD_CREATE';
  platform.publish({
    name,
    guildId: thread.guildId ?? '',
    channel: thread,
    intents: INTENTS.guilds,
    data: () => ({
      ...channelJson(platform.world, thread),
      ...(isCreated ? { newly_created: true } : {}),
      ...(isCreated && thread.thread.members.has(botId) ? { member: threadMemberJson(thread, botId) } : {}),
    }),
  });
  platform.changed();
}

/** A message in an archived thread opens it again. */
export function wakeThread(platform: Platform, thread: Thread): void {
  if (!thread.thread.isArchived) return;
  setArchived(platform, thread, false);
  publishThread(platform, 'THREAD_UPDATE', thread);
}

function setArchived(platform: Platform, { thread, guildId = '' }: Thread, isArchived: boolean): void {
  if (thread.isArchived === isArchived) return;
  if (!isArchived && openThreadsOf(platform, guildId) >= platform.settings.activeThreadCap)
    throw refuse(160006);
  thread.isArchived = isArchived;
  thread.archiveChangedAt = platform.now();
}

/** Fields of a PATCH on a thread, with who may set them. Throws ApiError. */
export function changeThread(platform: Platform, thread: Thread, userId: Snowflake, body: Json): void {
  const { world } = platform;
  demand(world, thread, userId);
  const state = thread.thread;
  const isManaging = may(world, thread, userId, 'manageThreads');
  const isOwner = state.ownerId === userId;
  const opens = state.isArchived && body.archived === false;
  if (opens && !isManaging && (state.isLocked || !may(world, thread, userId, 'sendMessagesInThreads')))
    throw refuse(50013);
  if (!opens && !isManaging && !isOwner) throw refuse(50013);
  if ('locked' in body && !isManaging) throw refuse(50013);
  if (state.isArchived && !('archived' in body) && !('locked' in body)) throw refuse(50083);
  if (typeof body.archived === 'boolean') setArchived(platform, thread, body.archived);
  if (typeof body.locked === 'boolean') state.isLocked = body.locked;
  if (typeof body.name === 'string') thread.name = body.name;
  if (typeof body.auto_archive_duration === 'number') state.autoArchiveMinutes = body.auto_archive_duration;
  if (Array.isArray(body.applied_tags)) state.tags = body.applied_tags as string[];
  publishThread(platform, 'THREAD_UPDATE', thread);
}

export function removeThread(platform: Platform, thread: Thread): void {
  const { world } = platform;
  platform.publish({
    name: 'THREAD_DELETE',
    guildId: thread.guildId ?? '',
    channel: thread,
    intents: INTENTS.guilds,
    data: () => ({
      id: thread.id,
      guild_id: thread.guildId,
      parent_id: thread.parentId,
      type: CHANNEL_TYPES[thread.type],
    }),
  });
  forgetMessages(platform, thread.id);
  world.channels.delete(thread.id);
  platform.changed();
}

/** The messages of a place that is gone. */
export function forgetMessages(platform: Platform, channelId: Snowflake): void {
  for (const message of platform.world.messages.get(channelId)?.values() ?? []) message.isDeleted = true;
  platform.world.messages.delete(channelId);
}
