/** The rules of access as a configuration file gives them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { createSettings } from '../../src/config/settings.ts';
import { tempDir } from '../support/temp-dir.ts';

function access(config: object, channel: string, account = 'default') {
  const folder = tempDir();
  writeFileSync(join(folder, 'skein.json5'), JSON.stringify(config));
  const loaded = loadConfig({ cwd: folder, env: {}, home: folder, flags: {} });
  return createSettings(loaded.config, 1).access(channel, account);
}

const CLOSED = { direct: 'pairing', groups: 'allowlist', allowFrom: [], allowsBots: false, spaces: {} };
const OPEN = { direct: 'open', groups: 'open', allowFrom: [], allowsBots: false, spaces: {} };

test.each(['discord', 'slack'])(
  'AUTH-07: without configuration %s pairs strangers and serves no server',
  (channel) => {
    expect(access({}, channel)).toEqual(CLOSED);
  },
);

test('the web chat is open: whoever has its token may write there', () => {
  expect(access({}, 'webchat')).toEqual(OPEN);
});

test('an account’s own value wins over that of its channel, key by key', () => {
  const discord = {
    dmPolicy: 'open',
    allowFrom: ['1'],
    allowBots: true,
    guilds: { 9: { users: ['1'] } },
    accounts: { second: { dmPolicy: 'disabled', guilds: {} } },
  };
  const channel = { direct: 'open', allowFrom: ['1'], allowsBots: true };
  expect(access({ channels: { discord } }, 'discord')).toEqual({
    ...CLOSED,
    ...channel,
    spaces: { 9: { users: ['1'] } },
  });
  expect(access({ channels: { discord } }, 'discord', 'second')).toEqual({
    ...CLOSED,
    ...channel,
    direct: 'disabled',
    spaces: {},
  });
});

test('channels of Slack are named without their workspace', () => {
  const channels = { C1: { requireMention: false } };
  expect(access({ channels: { slack: { channels } } }, 'slack').spaces).toEqual({ '*': { channels } });
});

test('AUTH-06: commands.allowFrom counts by channel, else for all channels, else not at all', () => {
  const commands = (allowFrom: Record<string, string[]>) => ({ commands: { allowFrom } });
  expect(access(commands({ discord: ['1'], '*': ['2'] }), 'discord').commandsFrom).toEqual(['1']);
  expect(access(commands({ discord: ['1'], '*': ['2'] }), 'slack').commandsFrom).toEqual(['2']);
  expect(access(commands({ discord: ['1'] }), 'slack').commandsFrom).toBeUndefined();
  expect(access(commands({ '*': ['2'] }), 'webchat').commandsFrom).toEqual(['2']);
});

test('a setting for mentions that is neither true nor false is a configuration error', () => {
  for (const key of ['requireMention', 'threadRequireExplicitMention']) {
    const place = { [key]: 'yes' };
    for (const guild of [place, { channels: { 8: place } }])
      expect(() => access({ channels: { discord: { guilds: { 9: guild } } } }, 'discord')).toThrow(key);
  }
});
