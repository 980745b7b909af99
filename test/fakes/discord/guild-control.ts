/** How tests change guilds, channels, roles and members; the bot is told of each change as Discord would. */
import type { Actor } from './actors.ts';
import {
  type ChannelSpec,
  makeChannel,
  makeOverwrites,
  type OverwriteSpec,
  publishChannel,
  removeChannel,
} from './channels.ts';
import {
  joinGuild,
  makeGuild,
  makeRole,
  publishGuildCreate,
  publishMember,
  publishRole,
  removeBot,
  removeGuild,
  setUnavailable,
} from './guilds.ts';
import { type Permission, permissionBits } from './permissions.ts';
import type { Platform } from './platform.ts';
import type { Snowflake } from './snowflakes.ts';
import type { Channel, Guild, Role, User } from './world.ts';

export interface GuildControl {
  /** With a channel `general` unless others are named; the owner and the bot are in it. The bot is told. */
  addGuild(spec: {
    name: string;
    id?: string;
    channels?: readonly (ChannelSpec | string)[];
    owner?: Actor;
    /** A role of the bot's own with these permissions, beside what everyone may do. */
    botPermissions?: readonly Permission[];
  }): Guild;
  addChannel(guild: Guild, spec: ChannelSpec): Channel;
  /** By its name; throws when there is none. */
  channel(guild: Guild, name: string): Channel;
  addRole(guild: Guild, spec: { name: string; permissions?: readonly Permission[] }): Role;
  /** A member of all guilds that there are, unless `guilds` names others. */
  addUser(spec: { name: string; isBot?: boolean; guilds?: readonly Guild[]; roles?: readonly Role[] }): Actor;
  /** Joins, or gets more roles. The bot's own joining and roles are told to it always. */
  addMember(guild: Guild, user: Actor | User, roles?: readonly Role[]): void;
  /** Until that time (epoch ms) the member may only look on; undefined ends it. The world does not end it by itself. */
  timeOut(guild: Guild, user: Actor | User, untilAt: number | undefined): void;
  removeMember(guild: Guild, user: Actor | User): void;
  /** The channel's overwrites become these; the bot is told. */
  setOverwrites(channel: Channel, overwrites: readonly OverwriteSpec[]): void;
  /** What everyone may do in the guild becomes this. */
  setEveryone(guild: Guild, permissions: readonly Permission[]): void;
  deleteChannel(channel: Channel): void;
  /** The bot leaves the guild. */
  removeBot(guild: Guild): void;
  deleteGuild(guild: Guild): void;
  setUnavailable(guild: Guild, isUnavailable: boolean): void;
}

interface GuildControlParts {
  readonly platform: Platform;
  /** Owns the guilds for which nobody else is named. */
  readonly owner: Actor;
  readonly actorFor: (user: User) => Actor;
}

export const userOf = (user: Actor | User): User => ('user' in user ? user.user : user);

export const newUser = (id: Snowflake, name: string, isBot: boolean): User => ({
  id,
  name,
  isBot,
  takesDms: true,
});

export function createGuildControl({ platform, owner, actorFor }: GuildControlParts): GuildControl {
  const { world } = platform;
  return {
    addGuild: ({ channels = ['general'], owner: ownedBy = owner, botPermissions, ...spec }) => {
      const guild = makeGuild(platform, { ...spec, owner: ownedBy.user });
      if (botPermissions) {
        const role = makeRole(platform, guild, {
          name: world.bot.name,
          permissions: permissionBits(botPermissions),
        });
        joinGuild(platform, guild, world.bot, [role]);
      }
      for (const channel of channels)
        makeChannel(platform, guild, typeof channel === 'string' ? { name: channel } : channel);
      publishGuildCreate(platform, guild);
      return guild;
    },
    addChannel: (guild, spec) => {
      const channel = makeChannel(platform, guild, spec);
      publishChannel(platform, 'CHANNEL_CREATE', channel);
      return channel;
    },
    channel: (guild, name) => {
      const found = [...world.channels.values()].find(
        (each) => each.guildId === guild.id && each.name === name,
      );
      if (!found) throw new Error(`there is no channel ${name} in ${guild.name}`);
      return found;
    },
    addRole: (guild, { name, permissions = [] }) => {
      const role = makeRole(platform, guild, { name, permissions: permissionBits(permissions) });
      publishRole(platform, 'GUILD_ROLE_CREATE', guild, role);
      return role;
    },
    addUser: ({ name, isBot = false, guilds = [...world.guilds.values()], roles = [] }) => {
      const user = newUser(platform.newId(), name, isBot);
      world.users.set(user.id, user);
      for (const guild of guilds) {
        const own = roles.filter(({ id }) => guild.roles.has(id));
        joinGuild(platform, guild, user, own);
      }
      return actorFor(user);
    },
    addMember: (guild, user, roles = []) => {
      const isNew = !guild.members.has(userOf(user).id);
      const member = joinGuild(platform, guild, userOf(user), roles);
      publishMember(platform, guild, member, isNew);
    },
    timeOut: (guild, user, untilAt) => {
      const member = guild.members.get(userOf(user).id);
      if (!member) throw new Error(`${user.name} is not in ${guild.name}`);
      member.timedOutUntil = untilAt;
      publishMember(platform, guild, member, false);
    },
    removeMember: (guild, user) => {
      guild.members.delete(userOf(user).id);
      platform.changed();
    },
    setOverwrites: (channel, overwrites) => {
      const guild = world.guilds.get(channel.guildId ?? '');
      if (!guild) throw new Error(`${channel.name} is in no guild`);
      channel.overwrites = makeOverwrites(guild, overwrites);
      publishChannel(platform, 'CHANNEL_UPDATE', channel);
    },
    setEveryone: (guild, permissions) => {
      const everyone = guild.roles.get(guild.id);
      if (!everyone) return;
      everyone.permissions = permissionBits(permissions);
      publishRole(platform, 'GUILD_ROLE_UPDATE', guild, everyone);
    },
    deleteChannel: (channel) => removeChannel(platform, channel),
    removeBot: (guild) => removeBot(platform, guild),
    deleteGuild: (guild) => removeGuild(platform, guild),
    setUnavailable: (guild, isUnavailable) => setUnavailable(platform, guild, isUnavailable),
  };
}
