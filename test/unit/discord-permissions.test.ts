import { PermissionFlagsBits as P } from 'discord.js';
import { describe, expect, test } from 'vitest';
import {
  INVITE_PERMISSIONS,
  NEEDED_PERMISSIONS,
  neededPermissions,
} from '../../adapters/discord/permissions/needed-permissions.ts';
import {
  missingPermissions,
  type PermissionFacts,
  permissionHint,
} from '../../adapters/discord/permissions/permissions.ts';

const GUILD = '100';
const BOT = '200';
const ROLE = '300';

const all = P.ViewChannel | P.SendMessages | P.CreatePublicThreads | P.SendMessagesInThreads;
const facts = (changed: Partial<PermissionFacts> = {}): PermissionFacts => ({
  guildId: GUILD,
  guildOwnerId: '1',
  memberId: BOT,
  memberRoleIds: [ROLE],
  isTimedOut: false,
  roles: [
    { id: GUILD, permissions: all.toString() },
    { id: ROLE, permissions: '0' },
    { id: '999', permissions: P.Administrator.toString() },
  ],
  overwrites: [],
  ...changed,
});
const overwrite = (id: string, { allow = 0n, deny = 0n, type = 0 as 0 | 1 }) => ({
  id,
  type,
  allow: allow.toString(),
  deny: deny.toString(),
});
const needed = neededPermissions(['view', 'send-in-threads', 'open-threads']);
const missing = (changed: Partial<PermissionFacts>) =>
  missingPermissions(facts(changed), needed).map(({ name }) => name);

describe('P1 what the bot lacks in a channel', () => {
  test('nothing where the roles grant it; a role that it does not have counts for nothing', () => {
    expect(missing({})).toEqual([]);
    expect(missing({ roles: [{ id: '999', permissions: P.Administrator.toString() }] })).not.toEqual([]);
  });

  test('what the parent channel denies to everyone, named as Discord names it', () => {
    const overwrites = [overwrite(GUILD, { deny: P.SendMessagesInThreads })];
    expect(missing({ overwrites })).toEqual(['Send Messages in Threads']);
    const hint = permissionHint(missingPermissions(facts({ overwrites }), needed), '#general');
    expect(hint).toBe('I need “Send Messages in Threads” in #general.');
  });

  test('“Send Messages” being denied does not matter in threads', () => {
    expect(missing({ overwrites: [overwrite(GUILD, { deny: P.SendMessages })] })).toEqual([]);
  });

  test('a role’s overwrite beats everyone’s, and the bot’s own beats both', () => {
    const everyone = overwrite(GUILD, { deny: P.CreatePublicThreads });
    const role = overwrite(ROLE, { allow: P.CreatePublicThreads });
    const own = overwrite(BOT, { deny: P.CreatePublicThreads, type: 1 });
    expect(missing({ overwrites: [role, everyone] })).toEqual([]);
    expect(missing({ overwrites: [own, role, everyone] })).toEqual(['Create Public Threads']);
  });

  test('among roles an allowance wins over a denial', () => {
    const overwrites = [
      overwrite(ROLE, { deny: P.CreatePublicThreads }),
      overwrite('301', { allow: P.CreatePublicThreads }),
    ];
    expect(missing({ memberRoleIds: [ROLE, '301'], overwrites })).toEqual([]);
  });

  test('where it cannot see the channel, that alone is named', () => {
    expect(missing({ overwrites: [overwrite(GUILD, { deny: all })] })).toEqual(['View Channels']);
  });

  test('an administrator and the owner lack nothing', () => {
    const overwrites = [overwrite(GUILD, { deny: all })];
    expect(missing({ memberRoleIds: ['999'], overwrites })).toEqual([]);
    expect(missing({ guildOwnerId: BOT, overwrites })).toEqual([]);
  });

  test('timed out, it may only look', () => {
    expect(missing({ isTimedOut: true })).toEqual(['Create Public Threads', 'Send Messages in Threads']);
  });

  test('several are listed in one sentence', () => {
    expect(permissionHint(needed, '#ops')).toBe(
      'I need “View Channels”, “Create Public Threads” and “Send Messages in Threads” in #ops.',
    );
  });
});

test('the invite asks for exactly what is listed, each with a reason, and never for more power', () => {
  expect(INVITE_PERMISSIONS).toBe(NEEDED_PERMISSIONS.reduce((sum, { bit }) => sum + bit, 0n));
  for (const { reason } of NEEDED_PERMISSIONS) expect(reason).toMatch(/^to /);
  expect(INVITE_PERMISSIONS & (P.Administrator | P.ManageGuild | P.ManageRoles | P.MentionEveryone)).toBe(0n);
});
