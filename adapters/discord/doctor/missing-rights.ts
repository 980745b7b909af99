/**
 * Which rights the bot lacks in the channels of a server, and what takes them away: its roles in the server, or what a
 * channel's own settings deny. Threads have no settings of their own, so for them it is the channel that is looked at. Pure.
 */
import { ChannelType } from 'discord.js';
import { NEEDED_PERMISSIONS, type NeededPermission } from '../permissions/needed-permissions.ts';
import { grantedPermissions, missingPermissions, type PermissionFacts } from '../permissions/permissions.ts';
import type { ChannelAnswer, GuildAnswer, MemberAnswer } from './schema.ts';

/** The bot in one server. */
export interface Membership {
  readonly guild: GuildAnswer;
  readonly botId: string;
  readonly member: MemberAnswer;
  /** Epoch ms. */
  readonly now: number;
}

export interface ChannelRights {
  readonly channel: ChannelAnswer;
  readonly missing: readonly MissingRight[];
}

export interface MissingRight {
  readonly permission: NeededPermission;
  /** Names of roles (or the bot itself) to whom the channel denies it; empty: its roles in the server lack it. */
  readonly deniedTo: readonly string[];
}

const POSTS: readonly ChannelType[] = [ChannelType.GuildForum, ChannelType.GuildMedia];
const TEXT: readonly ChannelType[] = [ChannelType.GuildText, ChannelType.GuildAnnouncement, ...POSTS];

/** Whether people can talk with the bot there. */
export function isTextChannel({ type }: ChannelAnswer): boolean {
  return TEXT.includes(type);
}

export function isTimedOut({ member, now }: Pick<Membership, 'member' | 'now'>): boolean {
  const until = member.communication_disabled_until;
  return typeof until === 'string' && Date.parse(until) > now;
}

export function channelRights(membership: Membership, channel: ChannelAnswer): ChannelRights {
  const facts = factsOf(membership, channel);
  const missing = missingPermissions(facts, neededIn(channel)).map((permission) => ({
    permission,
    deniedTo: deniedTo(membership, channel, facts, permission.bit),
  }));
  return { channel, missing };
}

/** A thread of a forum is a post, which is created with the right to send. */
function neededIn({ type }: ChannelAnswer): readonly NeededPermission[] {
  return POSTS.includes(type)
    ? NEEDED_PERMISSIONS.filter(({ key }) => key !== 'open-threads')
    : NEEDED_PERMISSIONS;
}

function factsOf(membership: Membership, channel: ChannelAnswer): PermissionFacts {
  const { guild, botId, member } = membership;
  return {
    guildId: guild.id,
    guildOwnerId: guild.owner_id,
    memberId: botId,
    memberRoleIds: member.roles,
    // Told of by itself: it takes away everything for a while, and no setting would help.
    isTimedOut: false,
    roles: guild.roles,
    overwrites: channel.permission_overwrites,
  };
}

function deniedTo(
  { guild, botId }: Membership,
  channel: ChannelAnswer,
  facts: PermissionFacts,
  bit: bigint,
): readonly string[] {
  if ((grantedPermissions({ ...facts, overwrites: [] }) & bit) === 0n) return [];
  const concerned = new Set([guild.id, botId, ...facts.memberRoleIds]);
  return channel.permission_overwrites
    .filter(({ id, deny }) => concerned.has(id) && (BigInt(deny) & bit) !== 0n)
    .map(({ id }) =>
      id === botId ? 'the bot itself' : (guild.roles.find((role) => role.id === id)?.name ?? id),
    );
}
