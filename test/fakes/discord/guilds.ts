/** Guilds with their roles and members come and go. */
import { EVERYONE_PERMISSIONS } from './permissions.ts';
import { INTENTS, type Platform } from './platform.ts';
import type { Snowflake } from './snowflakes.ts';
import { forgetMessages } from './threads.ts';
import { guildCreateJson } from './wire-channel.ts';
import { memberJson, roleJson } from './wire-user.ts';
import { channelsOf, type Guild, type Member, type Role, type User } from './world.ts';

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
