import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentIds, agentModel, subagentSettings } from '../../src/config/agents.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createSettings } from '../../src/config/settings.ts';
import { threadBindingSettings } from '../../src/config/thread-bindings.ts';
import { tempDir } from '../support/temp-dir.ts';

function load(file: object) {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'skein.json5'), JSON.stringify(file));
  return loadConfig({ cwd, env: {}, home: cwd }).config;
}

const HOUR_MS = 3_600_000;

test('CFG-04 binding settings: the account wins over the channel, the channel over the global value', () => {
  const config = load({
    session: { threadBindings: { idleHours: 1, maxAgeHours: 2, defaultSpawnContext: 'isolated' } },
    channels: {
      discord: {
        threadBindings: { idleHours: 3, enabled: false },
        accounts: { second: { threadBindings: { idleHours: 0.5 } } },
      },
    },
  });
  const at = (channel: string, account: string) => threadBindingSettings(config, channel, account);
  expect(at('discord', 'second')).toMatchObject({
    idleMs: HOUR_MS / 2,
    maxAgeMs: 2 * HOUR_MS,
    isEnabled: false,
  });
  expect(at('discord', 'default')).toMatchObject({ idleMs: 3 * HOUR_MS, isEnabled: false });
  expect(at('webchat', 'default')).toMatchObject({
    idleMs: HOUR_MS,
    isEnabled: true,
    defaultContext: 'isolated',
  });
});

test('0 at a channel switches a limit off that is on globally', () => {
  const config = load({ channels: { slack: { threadBindings: { idleHours: 0 } } } });
  expect(threadBindingSettings(config, 'slack', 'default').idleMs).toBe(0);
});

test.each([
  [{}, {}, true],
  [{ spawnSessions: false }, {}, false],
  [{ spawnSessions: false }, { spawnSessions: true }, true],
  [{}, { spawnSubagentSessions: false }, false],
  [{}, { spawnSubagentSessions: true, spawnSessions: false }, true],
])(
  'whether a spawn may bind a thread, globally %j and at the channel %j: %s',
  (global, channel, canSpawn) => {
    const config = load({
      session: { threadBindings: global },
      channels: { discord: { threadBindings: channel } },
    });
    expect(threadBindingSettings(config, 'discord', 'default').canSpawn).toBe(canSpawn);
  },
);

test('CFG-03 what an agent says of itself wins over the defaults, key by key', () => {
  const config = load({
    agents: {
      defaults: { model: 'offline/one', subagents: { maxSpawnDepth: 2, maxChildrenPerAgent: 3 } },
      list: [
        { id: 'deep', model: 'offline/two', subagents: { maxSpawnDepth: 4, allowAgents: ['*'] } },
        { id: 'plain' },
      ],
    },
  });
  expect(subagentSettings(config, 'deep')).toMatchObject({
    maxSpawnDepth: 4,
    maxChildren: 3,
    allowedAgents: ['main', 'deep', 'plain'],
  });
  expect(subagentSettings(config, 'plain')).toMatchObject({ maxSpawnDepth: 2, allowedAgents: ['plain'] });
  expect(agentModel(config, 'deep')?.primary).toBe('offline/two');
  expect(agentModel(config, 'plain')?.primary).toBe('offline/one');
});

test('the agent main always exists, and is listed once', () => {
  expect(agentIds(load({}))).toEqual(['main']);
  expect(agentIds(load({ agents: { list: [{ id: 'b' }] } }))).toEqual(['main', 'b']);
  expect(agentIds(load({ agents: { list: [{ id: 'b' }, { id: 'main' }] } }))).toEqual(['main', 'b']);
});

test('the services are given resolved settings', () => {
  const config = load({
    agents: {
      defaults: { model: 'offline/one', subagents: { maxConcurrent: 3 } },
      list: [{ id: 'careful', thinking: 'high', tools: { deny: ['exec'], allow: ['exec', 'message'] } }],
    },
    tools: { allow: ['message', 'group:sessions'], subagents: { tools: { deny: ['message'] } } },
    messages: { queue: { mode: 'collect', byChannel: { slack: 'interrupt' } } },
    commands: { ownerAllowFrom: ['discord:42'] },
  });
  const settings = createSettings(config, 2);
  expect(settings.agents).toEqual(['main', 'careful']);
  expect(settings.model('careful')).toBe('offline/one');
  expect([settings.thinking('careful'), settings.thinking('main')]).toEqual(['high', undefined]);
  expect([settings.queue('slack').mode, settings.queue('webchat').mode]).toEqual(['interrupt', 'collect']);
  expect([settings.laneCap('main'), settings.laneCap('subagent')]).toEqual([8, 3]);
  expect([settings.isOwner('discord', '42'), settings.isOwner('slack', '42')]).toEqual([true, false]);
  expect(settings.toolRules('main').allow).toContain('sessions_spawn');
  expect(settings.toolRules('careful')).toEqual({
    allow: ['message'],
    deny: ['exec'],
    subagents: { deny: ['message'] },
  });
});

test('the lane of people has room for eight runs at least, and for four a processor', () => {
  expect(createSettings(load({}), 1).laneCap('main')).toBe(8);
  expect(createSettings(load({}), 8).laneCap('main')).toBe(32);
  expect(createSettings(load({ agents: { defaults: { maxConcurrent: 1 } } }), 8).laneCap('main')).toBe(1);
});

test('what was missed is asked about, unless the account or its channel says otherwise', () => {
  const config = load({
    channels: { discord: { catchUp: 'answer', accounts: { quiet: { catchUp: 'off' } } } },
  });
  const settings = createSettings(config, 2);
  expect(settings.catchUp('discord', 'default')).toBe('answer');
  expect(settings.catchUp('discord', 'quiet')).toBe('off');
  expect(settings.catchUp('slack', 'default')).toBe('ask');
  expect(settings.catchUp('webchat', 'default')).toBe('ask');
});

test('whether a mention opens a thread: the channel by its id, the rest of its server, then the account', () => {
  const guilds = {
    11: { channels: { 21: { autoThread: false }, '*': { autoThread: true } } },
    '*': { channels: { 29: { autoThread: true } } },
  };
  const config = load({ channels: { discord: { guilds, accounts: { eager: { autoThread: true } } } } });
  const settings = createSettings(config, 2);
  const at = (space: string | undefined, conversation: string, account = 'default', channel = 'discord') =>
    settings.autoThread(
      { channel, account, chatType: 'channel', conversation },
      space === undefined ? undefined : { space },
    );
  expect([at('11', '21'), at('11', '22'), at('12', '29'), at('12', '21')]).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect([at('11', '21', 'eager'), at('12', '21', 'eager')]).toEqual([false, true]);
  expect([at(undefined, '29'), at('11', '22', 'default', 'slack')]).toEqual([false, false]);
});
