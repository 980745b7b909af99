import { expect, test } from 'vitest';
import { accessChecks } from '../../adapters/discord/doctor/access-checks.ts';
import type { CheckedAccount } from '../../adapters/discord/doctor/account.ts';
import { applicationChecks } from '../../adapters/discord/doctor/application-checks.ts';
import { applicationIdOfToken, inviteAddress } from '../../adapters/discord/doctor/invite.ts';
import { NEEDED_PERMISSIONS } from '../../adapters/discord/permissions/needed-permissions.ts';
import { applicationSchema } from '../../adapters/discord/schema.ts';

const MESSAGE_CONTENT = 1 << 18;
const MESSAGE_CONTENT_LIMITED = 1 << 19;
const account: CheckedAccount = { account: 'default', owners: [] };
const owner = { id: '11', username: 'ada' };
const guilds = [{ id: '100', name: 'Tea', owner: false, permissions: '0' }];

function application(fields: object) {
  return applicationSchema.parse({ id: '500', name: 'Skein', owner, ...fields });
}

function named(checks: readonly { name: string }[], name: string) {
  return checks.find((check) => check.name === name);
}

test.each([[MESSAGE_CONTENT], [MESSAGE_CONTENT_LIMITED]])(
  'Message Content is read from the flags (%i)',
  (flags) => {
    const check = named(applicationChecks('discord', application({ flags }), account), 'discord intents');
    expect(check).toMatchObject({ status: 'ok', found: expect.stringContaining('is granted') });
  },
);

test('Q4 a bot without Message Content is well, and told what that means and how to change it', () => {
  const check = named(applicationChecks('discord', application({}), account), 'discord intents');
  expect(check).toMatchObject({
    status: 'ok',
    found: expect.stringContaining('people mention it or reply to it'),
    advice: expect.stringContaining('https://discord.com/developers/applications/500/bot'),
  });
});

test('Q4 places without a mention rule are in vain without Message Content', () => {
  const free: CheckedAccount = {
    ...account,
    guilds: { '100': { channels: { '7': { requireMention: false } } } },
  };
  expect(named(applicationChecks('discord', application({}), free), 'discord intents')).toMatchObject({
    status: 'warn',
    found: expect.stringContaining('guilds.100.channels.7'),
  });
});

test('owners are the person, or those of the team who have accepted, and those that are configured', () => {
  const team = {
    name: 'Tea people',
    owner_user_id: '21',
    members: [
      { membership_state: 2, user: { id: '21', username: 'bea' } },
      { membership_state: 1, user: { id: '22', username: 'cem' } },
    ],
  };
  const check = named(
    applicationChecks('discord', application({ team }), { ...account, owners: ['31'] }),
    'discord owners',
  );
  expect(check).toMatchObject({ status: 'ok', found: 'bea (21), 31.' });
});

test('a bot that nobody owns is told how to have an owner', () => {
  const checks = applicationChecks('discord', application({ owner: undefined }), account);
  expect(named(checks, 'discord owners')).toMatchObject({
    status: 'warn',
    advice: expect.stringContaining('ownerAllowFrom'),
  });
});

test('settings of the application that keep Skein from working are wrong', () => {
  const checks = applicationChecks(
    'discord',
    application({ bot_require_code_grant: true, interactions_endpoint_url: 'https://example.org' }),
    account,
  );
  expect(named(checks, 'discord invite')).toMatchObject({ status: 'fail' });
  expect(named(checks, 'discord interactions')).toMatchObject({ status: 'fail' });
});

test('an allowlist without a server is told to be for owners only, with the entry that changes it', () => {
  expect(named(accessChecks('discord', account, guilds), 'discord access in servers')).toMatchObject({
    status: 'warn',
    found: 'No server is listed, so only owners are answered in servers.',
    advice: expect.stringContaining("guilds: { '100': {} }"),
  });
});

test('the entry that changes it can be copied out of a log of JSON lines', () => {
  const check = named(accessChecks('discord', account, guilds), 'discord access in servers');
  expect(JSON.stringify(check)).not.toContain('\\');
});

test.each([
  [{ groupPolicy: 'open' as const }],
  [{ groupPolicy: 'disabled' as const }],
  [{ allowFrom: ['11'] }],
  [{ guilds: { '100': {} } }],
  [{ guilds: { '*': {} } }],
])('the access %j needs no advice', (keys) => {
  const checks = accessChecks('discord', { ...account, ...keys }, guilds);
  expect(checks.map(({ status }) => status)).toEqual(['ok', 'ok']);
});

test('a listed server that the bot is not in is named', () => {
  const checks = accessChecks('discord', { ...account, guilds: { '100': {}, '101': {} } }, guilds);
  expect(checks.filter(({ status }) => status === 'warn')).toMatchObject([{ name: 'discord server 101' }]);
});

test('an allowlist for direct messages without anybody on it is named', () => {
  const checks = accessChecks('discord', { ...account, dmPolicy: 'allowlist' }, guilds);
  expect(named(checks, 'discord access in direct messages')).toMatchObject({ status: 'warn' });
});

test('the invite address asks for what is needed and nothing else', () => {
  const address = new URL(inviteAddress('500'));
  expect(address.searchParams.get('client_id')).toBe('500');
  expect(address.searchParams.get('scope')).toBe('bot applications.commands');
  const asked = BigInt(address.searchParams.get('permissions')!);
  expect(asked).toBe(NEEDED_PERMISSIONS.reduce((sum, { bit }) => sum + bit, 0n));
  expect(address.search).toContain('scope=bot+applications.commands');
});

test.each([
  [`${Buffer.from('123456789012345678').toString('base64url')}.a.b`, '123456789012345678'],
  [`${Buffer.from('1234567890123456789').toString('base64')}.a.b`, '1234567890123456789'],
  ['xoxb-1-2', undefined],
  ['', undefined],
])('the id in the token %j is %j', (token, id) => {
  expect(applicationIdOfToken(token)).toBe(id);
});
