import { PermissionFlagsBits } from 'discord.js';
import { expect, test } from 'vitest';
import type { CheckedAccount } from '../../adapters/discord/doctor/account.ts';
import { guildCheck } from '../../adapters/discord/doctor/guild-check.ts';
import type { ChannelAnswer } from '../../adapters/discord/doctor/schema.ts';
import { INVITE_PERMISSIONS } from '../../adapters/discord/permissions/needed-permissions.ts';

const GUILD = '100';
const BOT = '900';
const BOT_ROLE = '300';
const NOW = Date.parse('2026-12-01T12:00:00Z');
const { ViewChannel, SendMessages, SendMessagesInThreads, CreatePublicThreads, AttachFiles } =
  PermissionFlagsBits;

const account: CheckedAccount = { account: 'default', owners: [] };

interface Deny {
  readonly id: string;
  readonly bits: bigint;
  readonly type?: 0 | 1;
}

function channel(id: string, denies: readonly Deny[] = [], type = 0): ChannelAnswer {
  const overwrites = denies.map(({ id: whom, bits, type: kind = 0 }) => ({
    id: whom,
    type: kind,
    allow: '0',
    deny: String(bits),
  }));
  return { id, type, name: `c${id}`, permission_overwrites: overwrites };
}

function check(
  channels: readonly ChannelAnswer[],
  more: { rolePermissions?: bigint; timedOutUntil?: string; account?: CheckedAccount } = {},
) {
  const guild = {
    id: GUILD,
    name: 'Tea',
    owner_id: '1',
    roles: [
      { id: GUILD, name: '@everyone', permissions: '0' },
      { id: BOT_ROLE, name: 'Skein', permissions: String(more.rolePermissions ?? INVITE_PERMISSIONS) },
    ],
  };
  const member = { roles: [BOT_ROLE], communication_disabled_until: more.timedOutUntil ?? null };
  return guildCheck('discord', { guild, botId: BOT, member, now: NOW }, channels, more.account ?? account);
}

test('a server where nothing is missing is ok, and says how many channels were looked at', () => {
  const result = check([channel('1'), channel('2'), channel('3', [], 2)]);
  expect(result).toMatchObject({ name: 'discord server Tea', status: 'ok' });
  expect(result.found).toContain('2 channels looked at');
});

test('P1 a right that a channel denies for its threads is named, with the channel and whom it is denied to', () => {
  const result = check([channel('1', [{ id: GUILD, bits: SendMessagesInThreads }]), channel('2')]);
  expect(result.status).toBe('fail');
  expect(result.found).toContain(
    '“Send Messages in Threads” is missing in #c1, where it is denied to @everyone',
  );
  expect(result.found).not.toContain('“Send Messages” ');
  expect(result.advice).toContain('Edit Channel → Permissions');
});

test('P1 a right that no role of the bot has is looked for in the roles of the server', () => {
  const result = check([channel('1'), channel('2')], {
    rolePermissions: INVITE_PERMISSIONS & ~CreatePublicThreads,
  });
  expect(result.status).toBe('fail');
  expect(result.found).toContain(
    '“Create Public Threads” is missing in #c1, #c2, since no role of the bot has it',
  );
  expect(result.advice).toContain('Server Settings → Roles');
});

test('what is denied to the bot itself is told so', () => {
  const result = check([channel('1', [{ id: BOT, type: 1, bits: SendMessages }])]);
  expect(result.found).toContain('denied to the bot itself');
});

test('a channel that the bot may only read is a warning beside one where it can work', () => {
  const result = check([channel('1'), channel('2', [{ id: GUILD, bits: SendMessages }])]);
  expect(result.status).toBe('warn');
});

test('a named channel that the bot may only read is wrong', () => {
  const named: CheckedAccount = { ...account, guilds: { [GUILD]: { channels: { '2': {} } } } };
  const result = check([channel('1'), channel('2', [{ id: GUILD, bits: SendMessages }])], { account: named });
  expect(result.status).toBe('fail');
  expect(result.found).not.toContain('#c1');
});

test('a named channel that is not there is wrong', () => {
  const named: CheckedAccount = { ...account, guilds: { [GUILD]: { channels: { '7': {} } } } };
  expect(check([channel('1')], { account: named })).toMatchObject({
    status: 'fail',
    found: expect.stringContaining('channel 7'),
  });
});

test('channels that are hidden from the bot are counted, and no fault', () => {
  const result = check([channel('1'), channel('2', [{ id: GUILD, bits: ViewChannel }])]);
  expect(result).toMatchObject({ status: 'ok', found: expect.stringContaining('1 more hidden') });
});

test('a server whose channels are all hidden is wrong', () => {
  const result = check([channel('1', [{ id: GUILD, bits: ViewChannel }])]);
  expect(result).toMatchObject({ status: 'fail', found: 'The bot can see none of the channels.' });
});

test('a missing right that only makes things nicer is a warning', () => {
  const result = check([channel('1', [{ id: GUILD, bits: AttachFiles }])]);
  expect(result).toMatchObject({ status: 'warn', found: expect.stringContaining('“Attach Files”') });
});

test('a forum needs no right to create public threads', () => {
  const result = check([channel('1', [{ id: GUILD, bits: CreatePublicThreads }], 15)]);
  expect(result.status).toBe('ok');
});

test('a bot that is timed out is told until when', () => {
  const result = check([channel('1')], { timedOutUntil: '2026-12-01T13:00:00Z' });
  expect(result).toMatchObject({ status: 'fail', found: expect.stringContaining('2026-12-01T13:00:00Z') });
});

test('no more than 50 channels are looked at', () => {
  const many = Array.from({ length: 60 }, (_, i) => channel(String(i)));
  expect(check(many).found).toContain('50 channels looked at');
});
