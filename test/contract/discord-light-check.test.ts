/** The short look at a start, through discord.js, against a Discord of our own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type CheckedAccount, createAsker, lightCheck } from '../../adapters/discord/doctor/index.ts';
import { createStartChecks } from '../../src/app-doctor.ts';
import { loadConfig } from '../../src/config/load.ts';
import { type FakeDiscord, startFakeDiscord } from '../fakes/discord/index.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';

async function startDiscord(): Promise<FakeDiscord> {
  const discord = await startFakeDiscord();
  onTestFinished(() => discord.stop());
  return discord;
}

function look(discord: FakeDiscord, keys: Partial<CheckedAccount> = {}) {
  const { token, apiUrl } = discord;
  return lightCheck(createAsker({ token, apiUrl }), { account: 'default', owners: [], ...keys });
}

test('where all is well nothing is told, after two questions', async () => {
  const discord = await startDiscord();
  const guild = discord.addGuild({ name: 'Tea' });
  expect(await look(discord, { guilds: { [guild.id]: {} } })).toEqual([]);
  expect(discord.journal.entries).toHaveLength(2);
  expect(discord.violations).toEqual([]);
});

test('a bot in no server is told where to go', async () => {
  const discord = await startDiscord();
  expect(await look(discord, { groupPolicy: 'open' })).toMatchObject([
    { name: 'discord servers', status: 'fail', advice: expect.stringContaining(discord.application.id) },
  ]);
});

test('a server whose roles lack a needed right is named with it', async () => {
  const discord = await startDiscord();
  const guild = discord.addGuild({ name: 'Tea' });
  discord.setEveryone(guild, ['viewChannel', 'sendMessages', 'sendMessagesInThreads', 'readMessageHistory']);
  expect(await look(discord, { groupPolicy: 'open' })).toMatchObject([
    { name: 'discord server Tea', status: 'warn', found: expect.stringContaining('“Create Public Threads”') },
  ]);
});

test('Q4 a place without a mention rule is told to need Message Content', async () => {
  const discord = await startDiscord();
  const guild = discord.addGuild({ name: 'Tea' });
  expect(await look(discord, { guilds: { [guild.id]: { requireMention: false } } })).toMatchObject([
    { name: 'discord intents', status: 'warn', advice: expect.stringContaining('Message Content Intent') },
  ]);
});

test('what cannot be found out is no finding', async () => {
  const discord = await startDiscord();
  discord.revokeToken();
  expect(await look(discord)).toEqual([]);
});

test('an account that has connected is looked at, and each finding is logged once', async () => {
  const discord = await startDiscord();
  const cwd = tempDir();
  const keys = { token: discord.token, apiUrl: discord.apiUrl, groupPolicy: 'open' };
  writeFileSync(join(cwd, 'skein.json5'), JSON.stringify({ channels: { discord: keys } }));
  const { log, lines } = createRecordingLog();
  const checks = createStartChecks(loadConfig({ cwd, env: {}, home: cwd }).config, log);
  const guilds = () => discord.journal.of(/GET \/users\/@me\/guilds/).length;
  checks.look('discord', 'default');
  await expect.poll(() => checks.findings()).toMatchObject([{ name: 'discord servers', status: 'fail' }]);
  checks.look('discord', 'default');
  await expect.poll(guilds).toBe(2);
  discord.addGuild({ name: 'Tea' });
  checks.look('discord', 'default');
  await expect.poll(() => checks.findings()).toEqual([]);
  expect(lines.filter(({ message }) => message.includes('The bot is in no server.'))).toHaveLength(1);
});
