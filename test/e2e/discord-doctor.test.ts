/** `skein doctor` and `skein discord invite` as processes, against a Discord of our own. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { NEEDED_PERMISSIONS } from '../../adapters/discord/permissions/needed-permissions.ts';
import { APPLICATION_FLAGS, type FakeDiscord, startFakeDiscord } from '../fakes/discord/index.ts';
import { freePort } from '../support/free-port.ts';
import { runSkein } from '../support/run-skein.ts';
import { tempDir } from '../support/temp-dir.ts';

interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly found: string;
  readonly advice?: string;
}

async function startDiscord(options: Parameters<typeof startFakeDiscord>[0] = {}): Promise<FakeDiscord> {
  const discord = await startFakeDiscord(options);
  onTestFinished(() => discord.stop());
  return discord;
}

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

function placeFor(discord: { apiUrl: string; token: string }, keys: object = {}): Place {
  const cwd = tempDir();
  const config = { channels: { discord: { apiUrl: discord.apiUrl, ...keys } } };
  writeFileSync(join(cwd, 'skein.json5'), JSON.stringify(config));
  return { cwd, env: { DISCORD_BOT_TOKEN: discord.token } };
}

async function doctor(place: Place) {
  const { exitCode, stdout, stderr } = await runSkein(['doctor', '--json'], place);
  expect(stderr).toBe('');
  const report: { status: string; checks: readonly Check[] } = JSON.parse(stdout);
  const named = (name: string) => report.checks.find((check) => check.name === name);
  return { exitCode, stdout, report, named };
}

test('a good set-up is told to be good, and the exit code is 0', async () => {
  const discord = await startDiscord({ flags: APPLICATION_FLAGS.messageContentLimited });
  const guild = discord.addGuild({ name: 'Tea', channels: ['general', 'random'] });
  const { exitCode, report, named } = await doctor(placeFor(discord, { guilds: { [guild.id]: {} } }));
  expect(report.checks.filter(({ status }) => status === 'fail')).toEqual([]);
  expect(exitCode).toBe(0);
  expect(named('discord token')).toMatchObject({ status: 'ok', found: expect.stringContaining('skein') });
  expect(named('discord intents')).toMatchObject({
    status: 'ok',
    found: expect.stringContaining('is granted'),
  });
  expect(named('discord owners')).toMatchObject({ found: expect.stringContaining(discord.owner.id) });
  expect(named('discord gateway')).toMatchObject({
    status: 'ok',
    found: expect.stringContaining('1000 of 1000'),
  });
  expect(named('discord access in servers')).toMatchObject({ status: 'ok' });
  expect(named('discord server Tea')).toMatchObject({
    status: 'ok',
    found: expect.stringContaining('2 channels looked at'),
  });
  expect(discord.violations).toEqual([]);
});

test('only questions are asked of Discord, and nothing is made in the working folder', async () => {
  const discord = await startDiscord();
  discord.addGuild({ name: 'Tea' });
  const place = placeFor(discord);
  await doctor(place);
  expect(discord.journal.entries.filter(({ method }) => method !== 'GET')).toEqual([]);
  expect(readdirSync(place.cwd)).toEqual(['skein.json5']);
});

test('a token that Discord does not know is told with where to get one', async () => {
  const discord = await startDiscord();
  discord.addGuild({ name: 'Tea' });
  discord.revokeToken();
  const { exitCode, stdout, named } = await doctor(placeFor(discord));
  expect(exitCode).toBe(1);
  expect(named('discord token')).toMatchObject({
    status: 'fail',
    found: 'Discord does not know this token.',
    advice: expect.stringMatching(/Reset Token.*DISCORD_BOT_TOKEN/),
  });
  expect(stdout).not.toContain(discord.token);
});

test('the token of a further account is to be put where that account has it', async () => {
  const discord = await startDiscord();
  discord.addGuild({ name: 'Tea' });
  const accounts = { work: { token: 'no.real.token' }, tea: {} };
  const place = placeFor(discord, { accounts });
  const { named } = await doctor(place);
  expect(named('discord/work token')?.advice).toContain('channels.discord.accounts.work.token');
  expect(named('discord/work token')?.advice).not.toContain('DISCORD_BOT_TOKEN');
  const { stderr } = await runSkein(['discord', 'invite', '--account', 'tea'], place);
  expect(stderr).toContain('put it into skein.json5 as channels.discord.accounts.tea.token');
});

test('a bot in no server is shown the address that brings it into one', async () => {
  const discord = await startDiscord();
  const { exitCode, named } = await doctor(placeFor(discord));
  expect(exitCode).toBe(1);
  expect(named('discord servers')).toMatchObject({
    status: 'fail',
    advice: expect.stringContaining(
      `https://discord.com/oauth2/authorize?client_id=${discord.application.id}&`,
    ),
  });
});

test('P1 a channel that denies talking in threads is named, with the right and the place to change it', async () => {
  const discord = await startDiscord();
  const guild = discord.addGuild({ name: 'Tea', channels: ['general', 'quiet'] });
  discord.setOverwrites(discord.channel(guild, 'quiet'), [
    { for: 'everyone', deny: ['sendMessagesInThreads'] },
  ]);
  const { exitCode, named } = await doctor(placeFor(discord));
  expect(exitCode).toBe(1);
  const check = named('discord server Tea');
  expect(check).toMatchObject({ status: 'fail', advice: expect.stringContaining('Edit Channel') });
  expect(check?.found).toContain('“Send Messages in Threads” is missing in #quiet');
  expect(check?.found).not.toContain('#general');
});

test('Q4 without Message Content it is told what that means, and nothing is wrong', async () => {
  const discord = await startDiscord();
  const guild = discord.addGuild({ name: 'Tea' });
  const { exitCode, named } = await doctor(placeFor(discord, { guilds: { [guild.id]: {} } }));
  expect(exitCode).toBe(0);
  expect(named('discord intents')).toMatchObject({
    status: 'ok',
    found: expect.stringContaining('Message Content is not granted'),
    advice: expect.stringContaining('Message Content Intent'),
  });
});

test('an allowlist without servers is told to be for owners only', async () => {
  const discord = await startDiscord();
  const guild = discord.addGuild({ name: 'Tea' });
  const { exitCode, named } = await doctor(placeFor(discord));
  expect(exitCode).toBe(0);
  expect(named('discord access in servers')).toMatchObject({
    status: 'warn',
    advice: expect.stringContaining(guild.id),
  });
});

test('a Discord that cannot be reached is told to be so', async () => {
  const apiUrl = `http://127.0.0.1:${await freePort()}/api`;
  const { exitCode, named } = await doctor(placeFor({ apiUrl, token: 'MTIzNDU2Nzg5MDEyMzQ1Njc4.a.b' }));
  expect(exitCode).toBe(1);
  expect(named('discord token')).toMatchObject({
    status: 'fail',
    found: expect.stringContaining('ECONNREFUSED'),
    advice: expect.stringContaining('channels.discord.apiUrl'),
  });
});

test('each account is looked at under its own name', async () => {
  const first = await startDiscord();
  first.addGuild({ name: 'Tea' });
  const second = await startDiscord();
  second.addGuild({ name: 'Coffee' });
  const accounts = { work: { token: second.token, apiUrl: second.apiUrl } };
  const { named } = await doctor(placeFor(first, { accounts }));
  expect(named('discord server Tea')).toBeDefined();
  expect(named('discord/work server Coffee')).toBeDefined();
});

test('without --json people read the checks, each with what to do', async () => {
  const discord = await startDiscord();
  const { exitCode, stdout } = await runSkein(['doctor'], placeFor(discord));
  expect(exitCode).toBe(1);
  expect(stdout).toContain('ok    discord token: Valid');
  expect(stdout).toMatch(/FAIL {2}discord servers: .*\n {6}→ Open this address/);
  expect(stdout).toMatch(/One thing is wrong\./);
});

test('a wrong configuration is a failed check, and the exit code is 1', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'skein.json5'), '{ channels: { discord: { apiUrl: "here" } } }');
  const { exitCode, named } = await doctor({ cwd, env: {} });
  expect(exitCode).toBe(1);
  expect(named('configuration')).toMatchObject({
    status: 'fail',
    found: expect.stringContaining('channels.discord.apiUrl'),
  });
});

test('skein discord invite prints the address, and what each permission is for', async () => {
  const discord = await startDiscord();
  const { exitCode, stdout, stderr } = await runSkein(['discord', 'invite'], placeFor(discord));
  expect(exitCode).toBe(0);
  expect(stderr).toBe('');
  const permissions = NEEDED_PERMISSIONS.reduce((sum, { bit }) => sum + bit, 0n);
  expect(stdout).toContain(
    `https://discord.com/oauth2/authorize?client_id=${discord.application.id}&scope=bot+applications.commands&permissions=${permissions}\n`,
  );
  for (const { name, reason } of NEEDED_PERMISSIONS) {
    expect(stdout.split('\n').some((line) => line.includes(name) && line.includes(reason))).toBe(true);
  }
});

test('skein discord invite --json is for programs', async () => {
  const discord = await startDiscord();
  const { stdout } = await runSkein(['discord', 'invite', '--json'], placeFor(discord));
  expect(JSON.parse(stdout)).toMatchObject({
    account: 'default',
    applicationId: discord.application.id,
    address: expect.stringContaining('https://discord.com/oauth2/authorize'),
    permissions: expect.arrayContaining([{ name: 'Send Messages', reason: expect.any(String) }]),
  });
});

test('where Discord cannot be reached the id is read from the token, and that is said', async () => {
  const apiUrl = `http://127.0.0.1:${await freePort()}/api`;
  const token = `${Buffer.from('123456789012345678').toString('base64url')}.a.b`;
  const { exitCode, stdout, stderr } = await runSkein(['discord', 'invite'], placeFor({ apiUrl, token }));
  expect(exitCode).toBe(0);
  expect(stdout).toContain('client_id=123456789012345678&');
  expect(stderr).toMatch(/cannot be reached .*read from the token/);
});

test.each([
  [[], 'There is no Discord token.'],
  [['--account', 'work'], 'There is no Discord account "work"'],
])('skein discord invite %j without a token ends with 78 and says what to do', async (args, message) => {
  const { exitCode, stderr } = await runSkein(['discord', 'invite', ...args], { cwd: tempDir() });
  expect(exitCode).toBe(78);
  expect(stderr).toContain(message);
});
