/** Guilds, channels, members and direct channels come and go. */
import { EVERYONE_PERMISSIONS, type Permission, permissionBits } from './permissions.ts';
import { INTENTS, type Platform } from './platform.ts';
import type { Snowflake } from './snowflakes.ts';
import { forgetMessages } from './threads.ts';
import { channelJson, guildCreateJson } from './wire-channel.ts';
import { memberJson, roleJson } from './wire-user.ts';
import {
  type Channel,
  type ChannelType,
  channelsOf,
  type ForumTag,
  type Guild,
  type Member,
  type Overwrite,
  type Role,
  type User,
} from './world.ts';

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

/** The guild with its role for everyone, its owner and the bot; nobody is told yet. */
export function makeGuild(
  platform: Platform,
  { id, name, owner }: { id?: Snowflake; name: string; owner: User },
): Guild {
  const { world } = platform;
  const guildId = id ?? platform.newId();
  const everyone: Role = { id: guildId, name: '@everyone', permissions: EVERYONE_PERMISSIONS };
  const guild: Guild = {
    id: guildId,
    name,
    ownerId: owner.id,
    roles: new Map([[guildId, everyone]]),
    members: new Map(),
    isUnavailable: false,
  };
  world.guilds.set(guild.id, guild);
  for (const user of [owner, world.bot]) joinGuild(platform, guild, user);
  return guild;
}

export function joinGuild(platform: Platform, guild: Guild, user: User, roles: readonly Role[] = []): Member {
  const known = guild.members.get(user.id);
  const member = known ?? {
    user,
    roles: new Set<Snowflake>(),
    joinedAt: platform.now(),
    timedOutUntil: undefined,
  };
  for (const { id } of roles) member.roles.add(id);
  guild.members.set(user.id, member);
  platform.changed();
  return member;
}

export function makeRole(
  platform: Platform,
  guild: Guild,
  spec: { name: string; permissions: bigint },
): Role {
  const role: Role = { id: platform.newId(), ...spec };
  guild.roles.set(role.id, role);
  platform.changed();
  return role;
}

export function publishRole(
  platform: Platform,
  name: 'GUILD_ROLE_CREATE' | 'GUILD_ROLE_UPDATE',
  guild: Guild,
  role: Role,
): void {
  const position = [...guild.roles.keys()].indexOf(role.id);
  platform.publish({
    name,
    guildId: guild.id,
    intents: INTENTS.guilds,
    data: () => ({ guild_id: guild.id, role: roleJson(role, position) }),
  });
  platform.changed();
}

/** Somebody joined or got other roles: told with the members intent, and always when it is the bot. */
export function publishMember(platform: Platform, guild: Guild, member: Member, isNew: boolean): void {
  const isBot = member.user.id === platform.world.bot.id;
  if (isBot && isNew) {
    publishGuildCreate(platform, guild);
    return;
  }
  platform.publish({
    name: isNew ? 'GUILD_MEMBER_ADD' : 'GUILD_MEMBER_UPDATE',
    guildId: guild.id,
    intents: isBot ? 0 : INTENTS.guildMembers,
    data: () => ({ guild_id: guild.id, ...memberJson(member) }),
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

export function publishGuildCreate(platform: Platform, guild: Guild): void {
  platform.publish({
    name: 'GUILD_CREATE',
    guildId: guild.id,
    intents: INTENTS.guilds,
    data: () => guildCreateJson(platform.world, guild),
  });
}

/** An outage: the guild goes away and comes back; nothing of it is lost. */
export function setUnavailable(platform: Platform, guild: Guild, isUnavailable: boolean): void {
  guild.isUnavailable = isUnavailable;
  if (!isUnavailable) publishGuildCreate(platform, guild);
  else
    platform.publish({
      name: 'GUILD_DELETE',
      guildId: guild.id,
      intents: INTENTS.guilds,
      data: () => ({ id: guild.id, unavailable: true }),
    });
}

/** The bot is thrown out. */
export function removeBot(platform: Platform, guild: Guild): void {
  platform.publish({
    name: 'GUILD_DELETE',
    guildId: guild.id,
    intents: INTENTS.guilds,
    data: () => ({ id: guild.id }),
  });
  guild.members.delete(platform.world.bot.id);
  platform.changed();
}

/** The guild itself is deleted, with all that is in it. */
export function removeGuild(platform: Platform, guild: Guild): void {
  removeBot(platform, guild);
  for (const { id } of channelsOf(platform.world, guild.id)) {
    forgetMessages(platform, id);
    platform.world.channels.delete(id);
  }
  platform.world.guilds.delete(guild.id);
  platform.changed();
}
