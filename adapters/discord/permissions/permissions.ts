/**
 * What the bot may do in a channel, worked out from plain facts as Discord defines it: roles of the server, then the
 * channel's overwrites for everyone, for the roles, and for the bot itself. A thread has no overwrites: the facts of its
 * parent hold for it.
 *
 * https://docs.discord.com/developers/topics/permissions
 */
import { PermissionFlagsBits } from 'discord.js';
import type { NeededPermission } from './needed-permissions.ts';

export interface PermissionOverwrite {
  /** Of the role (0) or the member (1). The role of everyone has the server's id. */
  readonly id: string;
  readonly type: 0 | 1;
  /** Bits, in decimal. */
  readonly allow: string;
  readonly deny: string;
}

export interface PermissionFacts {
  readonly guildId: string;
  readonly guildOwnerId: string;
  /** The bot's user id and its roles in the server. */
  readonly memberId: string;
  readonly memberRoleIds: readonly string[];
  /** Timed out members may only look and read. */
  readonly isTimedOut: boolean;
  /** The server's roles; `permissions` are bits, in decimal. */
  readonly roles: readonly { readonly id: string; readonly permissions: string }[];
  /** Of the channel, or of the parent of a thread. */
  readonly overwrites: readonly PermissionOverwrite[];
}

const ALL = ~0n;
const WHEN_TIMED_OUT = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory;

/** Those of `needed` that the bot lacks there, in their order. Where it cannot even see the channel that alone is named. */
export function missingPermissions(
  facts: PermissionFacts,
  needed: readonly NeededPermission[],
): readonly NeededPermission[] {
  const granted = grantedPermissions(facts);
  const missing = needed.filter(({ bit }) => (granted & bit) !== bit);
  const unseen = missing.filter(({ bit }) => bit === PermissionFlagsBits.ViewChannel);
  return unseen.length > 0 ? unseen : missing;
}

/** All that the bot may do there, as bits. */
export function grantedPermissions(facts: PermissionFacts): bigint {
  if (facts.memberId === facts.guildOwnerId) return ALL;
  const held = new Set([facts.guildId, ...facts.memberRoleIds]);
  const base = facts.roles
    .filter(({ id }) => held.has(id))
    .reduce((sum, { permissions }) => sum | BigInt(permissions), 0n);
  if (base & PermissionFlagsBits.Administrator) return ALL;
  const granted = overwritten(base, facts);
  return facts.isTimedOut ? granted & WHEN_TIMED_OUT : granted;
}

function overwritten(base: bigint, facts: PermissionFacts): bigint {
  const { guildId, memberId, memberRoleIds, overwrites } = facts;
  const ofRoles = overwrites.filter(({ type }) => type === 0);
  const layers = [
    ofRoles.filter(({ id }) => id === guildId),
    ofRoles.filter(({ id }) => id !== guildId && memberRoleIds.includes(id)),
    overwrites.filter(({ id, type }) => type === 1 && id === memberId),
  ];
  // Within a layer what one overwrite allows wins over what another denies.
  return layers.reduce((granted, layer) => (granted & ~bitsOf(layer, 'deny')) | bitsOf(layer, 'allow'), base);
}

function bitsOf(layer: readonly PermissionOverwrite[], side: 'allow' | 'deny'): bigint {
  return layer.reduce((sum, overwrite) => sum | BigInt(overwrite[side]), 0n);
}

/** `I need “Send Messages in Threads” in #general.` `place` is as people know it, such as `#general`. */
export function permissionHint(missing: readonly Pick<NeededPermission, 'name'>[], place: string): string {
  const names = missing.map(({ name }) => `“${name}”`);
  const listed = names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return `I need ${listed} in ${place}.`;
}
