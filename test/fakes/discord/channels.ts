/** Channels of guilds and direct channels come and go. */
import { type Permission, permissionBits } from './permissions.ts';
import { INTENTS, type Platform } from './platform.ts';
import type { Snowflake } from './snowflakes.ts';
import { forgetMessages } from './threads.ts';
import { channelJson } from './wire-channel.ts';
import type { Channel, ChannelType, ForumTag, Guild, Overwrite, User } from './world.ts';

export interface OverwriteSpec {
  /** A user, a role or an id; `everyone` for the guild's own role. */
  readonly for: 'everyone' | { readonly id: Snowflake };
  readonly allow?: readonly Permission[];
  readonly deny?: readonly Permission[];
}

export interface ChannelSpec {
  readonly name: string;
  /** Default `text`. Threads are opened by people or the bot instead. */
  readonly type?: Exclude<ChannelType, 'dm' | 'public-thread' | 'private-thread' | 'announcement-thread'>;
  readonly overwrites?: readonly OverwriteSpec[];
  readonly topic?: string;
  /** Names of a forum's tags. */
  readonly tags?: readonly string[];
  readonly needsTag?: boolean;
  readonly parentId?: Snowflake;
}

export function makeOverwrites(
  guild: Guild,
  specs: readonly OverwriteSpec[] | undefined,
): readonly Overwrite[] {
  return (specs ?? []).map((spec) => {
    const id = spec.for === 'everyone' ? guild.id : spec.for.id;
    return {
      id,
      kind: guild.roles.has(id) ? 'role' : 'member',
      allow: permissionBits(spec.allow ?? []),
      deny: permissionBits(spec.deny ?? []),
    };
  });
}

export function makeChannel(platform: Platform, guild: Guild, spec: ChannelSpec): Channel {
  const tags: readonly ForumTag[] = (spec.tags ?? []).map((name) => ({ id: platform.newId(), name }));
  const channel: Channel = {
    id: platform.newId(),
    type: spec.type ?? 'text',
    guildId: guild.id,
    ...(spec.parentId === undefined ? {} : { parentId: spec.parentId }),
    name: spec.name,
    topic: spec.topic ?? null,
    overwrites: makeOverwrites(guild, spec.overwrites),
    recipients: [],
    tags,
    needsTag: spec.needsTag ?? false,
  };
  platform.world.channels.set(channel.id, channel);
  platform.world.messages.set(channel.id, new Map());
  return channel;
}

export function publishChannel(
  platform: Platform,
  name: 'CHANNEL_CREATE' | 'CHANNEL_UPDATE' | 'CHANNEL_DELETE',
  channel: Channel,
): void {
  const body = channelJson(platform.world, channel);
  platform.publish({
    name,
    ...(channel.guildId === undefined ? {} : { guildId: channel.guildId }),
    intents: channel.guildId === undefined ? INTENTS.directMessages : INTENTS.guilds,
    data: () => body,
  });
  platform.changed();
}

/** The channel goes with its threads; no events are sent for the threads. */
export function removeChannel(platform: Platform, channel: Channel): void {
  const { world } = platform;
  publishChannel(platform, 'CHANNEL_DELETE', channel);
  const gone = [...world.channels.values()].filter(
    ({ id, parentId, type }) => id === channel.id || (parentId === channel.id && type.endsWith('thread')),
  );
  for (const { id } of gone) {
    forgetMessages(platform, id);
    world.channels.delete(id);
  }
  platform.changed();
}

/** The direct channel with that person, made when there is none. */
export function openDm(platform: Platform, user: User): Channel {
  const { world } = platform;
  const known = [...world.channels.values()].find(
    ({ type, recipients }) => type === 'dm' && recipients[0]?.id === user.id,
  );
  if (known) return known;
  const channel: Channel = {
    id: platform.newId(),
    type: 'dm',
    name: user.name,
    topic: null,
    overwrites: [],
    recipients: [user],
    tags: [],
    needsTag: false,
  };
  world.channels.set(channel.id, channel);
  world.messages.set(channel.id, new Map());
  publishChannel(platform, 'CHANNEL_CREATE', channel);
  return channel;
}
