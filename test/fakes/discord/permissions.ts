/** Who may do what where: roles, then the channel's overwrites; a thread has those of its parent. */
import { refuse } from './api-error.ts';
import type { Snowflake } from './snowflakes.ts';
import { type Channel, type Guild, isThread, type World } from './world.ts';

export const PERMISSIONS = {
  administrator: 1n << 3n,
  manageChannels: 1n << 4n,
  manageGuild: 1n << 5n,
  addReactions: 1n << 6n,
  viewChannel: 1n << 10n,
  sendMessages: 1n << 11n,
  sendTtsMessages: 1n << 12n,
  manageMessages: 1n << 13n,
  embedLinks: 1n << 14n,
  attachFiles: 1n << 15n,
  readMessageHistory: 1n << 16n,
  mentionEveryone: 1n << 17n,
  useExternalEmojis: 1n << 18n,
  connect: 1n << 20n,
  manageRoles: 1n << 28n,
  manageWebhooks: 1n << 29n,
  useApplicationCommands: 1n << 31n,
  manageThreads: 1n << 34n,
  createPublicThreads: 1n << 35n,
  createPrivateThreads: 1n << 36n,
  sendMessagesInThreads: 1n << 38n,
  pinMessages: 1n << 51n,
} as const;
export type Permission = keyof typeof PERMISSIONS;

const bits = (...names: Permission[]): bigint => names.reduce((all, name) => all | PERMISSIONS[name], 0n);

export const ALL_PERMISSIONS = bits(...(Object.keys(PERMISSIONS) as Permission[]));

/** What everyone may do in a new guild. */
export const EVERYONE_PERMISSIONS = bits(
  'addReactions',
  'viewChannel',
  'sendMessages',
  'embedLinks',
  'attachFiles',
  'readMessageHistory',
  'useApplicationCommands',
  'createPublicThreads',
  'sendMessagesInThreads',
);

const WHEN_TIMED_OUT = bits('viewChannel', 'readMessageHistory');

/** Names to bits, for overwrites and roles. */
export const permissionBits = (names: readonly Permission[]): bigint => bits(...names);

export function guildPermissions(guild: Guild, userId: Snowflake): bigint {
  const member = guild.members.get(userId);
  if (!member) return 0n;
  if (guild.ownerId === userId) return ALL_PERMISSIONS;
  let all = guild.roles.get(guild.id)?.permissions ?? 0n;
  for (const id of member.roles) all |= guild.roles.get(id)?.permissions ?? 0n;
  return all & PERMISSIONS.administrator ? ALL_PERMISSIONS : all;
}

/** Everything in direct channels, nothing for those who are not in the guild or may not see the channel. */
export function channelPermissions(world: World, channel: Channel, userId: Snowflake): bigint {
  if (channel.guildId === undefined) return ALL_PERMISSIONS;
  const guild = world.guilds.get(channel.guildId);
  const member = guild?.members.get(userId);
  if (!guild || !member) return 0n;
  const base = guildPermissions(guild, userId);
  if (base & PERMISSIONS.administrator) return ALL_PERMISSIONS;
  const place = isThread(channel) ? world.channels.get(channel.parentId ?? '') : channel;
  if (!place) return 0n;
  const own = (id: Snowflake) => place.overwrites.filter((overwrite) => overwrite.id === id);
  let all = base;
  for (const { allow, deny } of own(guild.id)) all = (all & ~deny) | allow;
  const ofRoles = [...member.roles].flatMap(own);
  all &= ~ofRoles.reduce((sum, { deny }) => sum | deny, 0n);
  all |= ofRoles.reduce((sum, { allow }) => sum | allow, 0n);
  for (const { allow, deny } of own(userId)) all = (all & ~deny) | allow;
  if (member.timedOutUntil !== undefined) all &= WHEN_TIMED_OUT;
  return all & PERMISSIONS.viewChannel ? all : 0n;
}

export function may(world: World, channel: Channel, userId: Snowflake, permission: Permission): boolean {
  return (channelPermissions(world, channel, userId) & PERMISSIONS[permission]) !== 0n;
}

/** 50001 for a place that cannot be seen, 50013 for a thing that may not be done there. */
export function demand(world: World, channel: Channel, userId: Snowflake, ...needed: Permission[]): void {
  if (!may(world, channel, userId, 'viewChannel')) throw refuse(50001);
  for (const permission of needed) if (!may(world, channel, userId, permission)) throw refuse(50013);
}
