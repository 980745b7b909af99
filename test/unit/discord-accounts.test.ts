import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { discordAccounts } from '../../src/config/discord-accounts.ts';
import { loadConfig } from '../../src/config/load.ts';
import { tempDir } from '../support/temp-dir.ts';

function accountsOf(discord: object, env: Record<string, string> = {}) {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'skein.json5'), JSON.stringify({ channels: { discord } }));
  return discordAccounts(loadConfig({ cwd, env, home: cwd }).config);
}

test('CFG-06 without a token there is no account', () => {
  expect(accountsOf({ dmPolicy: 'open' })).toEqual([]);
});

test('CFG-05 the token of the environment makes the account default, one of the file wins', () => {
  const env = { DISCORD_BOT_TOKEN: 'from-env' };
  expect(accountsOf({ dmPolicy: 'open' }, env)).toEqual([
    { account: 'default', token: 'from-env', dmPolicy: 'open' },
  ]);
  expect(accountsOf({ token: 'from-file' }, env)).toEqual([{ account: 'default', token: 'from-file' }]);
});

test('a token copied with the "Bot" that stands before it in a header is taken without it', () => {
  expect(accountsOf({}, { DISCORD_BOT_TOKEN: 'Bot from.env' })).toMatchObject([{ token: 'from.env' }]);
  expect(accountsOf({ token: 'bot  from.file ' })).toMatchObject([{ token: 'from.file' }]);
  expect(() => accountsOf({ token: 'Bot ' })).toThrow('channels.discord.token');
});

test('CFG-04 an account inherits every key but the token, and its own value wins', () => {
  const accounts = accountsOf({
    token: 'first',
    dmPolicy: 'open',
    catchUp: 'off',
    accounts: { work: { token: 'second', dmPolicy: 'disabled' }, idle: {} },
  });
  expect(accounts).toEqual([
    { account: 'default', token: 'first', dmPolicy: 'open', catchUp: 'off' },
    { account: 'work', token: 'second', dmPolicy: 'disabled', catchUp: 'off' },
    { account: 'idle', dmPolicy: 'open', catchUp: 'off' },
  ]);
});

test('what is switched off is left out, and one account may be on where the channel is off', () => {
  const discord = { token: 'first', enabled: false, accounts: { work: { token: 'second', enabled: true } } };
  expect(accountsOf(discord).map(({ account }) => account)).toEqual(['work']);
});
