import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ConfigFlags, loadConfig } from '../../src/config/load.ts';
import { tempDir } from '../support/temp-dir.ts';

interface Place {
  readonly file?: string;
  readonly dotenv?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: ConfigFlags;
}

function load({ file, dotenv, env = {}, flags = {} }: Place) {
  const cwd = tempDir();
  if (file !== undefined) writeFileSync(join(cwd, 'skein.json5'), file);
  if (dotenv !== undefined) writeFileSync(join(cwd, '.env'), dotenv);
  return { cwd, ...loadConfig({ cwd, env, home: join(cwd, 'home'), flags }) };
}

test('without any file the defaults are complete', () => {
  const { config, warnings, source, cwd } = load({});
  expect(source).toBeUndefined();
  expect(warnings).toEqual([]);
  expect(config.home).toBe(join(cwd, '.skein'));
  expect(config.store).toEqual({ path: join(cwd, '.skein', 'skein.db'), synchronous: 'normal' });
  expect(config.http).toEqual({ host: '127.0.0.1', port: 4280 });
  expect(config.agents.defaults.subagents).toMatchObject({
    runTimeoutSeconds: 0,
    maxSpawnDepth: 1,
    maxChildrenPerAgent: 5,
    maxConcurrent: 8,
    archiveAfterMinutes: 60,
    announceTimeoutMs: 120_000,
  });
  expect(config.session.threadBindings).toMatchObject({ enabled: true, idleHours: 24, maxAgeHours: 0 });
  expect(config.tools.sessions.visibility).toBe('tree');
  expect(config.messages.queue).toMatchObject({ mode: 'steer', cap: 20, drop: 'summarize', debounceMs: 500 });
});

test('an empty file is the same as none', () => {
  expect(load({ file: '  \n' }).config.http.port).toBe(4280);
});

test('the file may have comments, trailing commas and a byte order mark', () => {
  const { config } = load({ file: '\uFEFF{ // here\n http: { port: 5000, }, }' });
  expect(config.http.port).toBe(5000);
});

test('the file is SKEIN_CONFIG, else ./skein.json5, else ~/.skein/skein.json5', () => {
  const cwd = tempDir();
  const home = join(cwd, 'home');
  mkdirSync(join(home, '.skein'), { recursive: true });
  const write = (path: string, port: number) => writeFileSync(path, `{ http: { port: ${port} } }`);
  const port = (env: Record<string, string>) => loadConfig({ cwd, env, home }).config.http.port;
  write(join(home, '.skein', 'skein.json5'), 1);
  expect(port({})).toBe(1);
  write(join(cwd, 'skein.json5'), 2);
  expect(port({})).toBe(2);
  write(join(home, 'other.json5'), 3);
  expect(port({ SKEIN_CONFIG: '~/other.json5' })).toBe(3);
});

test('a file that was named but is not there is an error', () => {
  expect(() => load({ env: { SKEIN_CONFIG: 'nowhere.json5' } })).toThrow(/nowhere\.json5/);
});

test('a folder in place of the file is an error that names it', () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, 'skein.json5'));
  expect(() => loadConfig({ cwd, env: {}, home: cwd })).toThrow(/Cannot read .*skein\.json5/);
});

test('the process environment wins over .env, and .env counts where it is silent', () => {
  const { config } = load({
    dotenv: 'SKEIN_PORT=5001\nLOG_LEVEL=debug # loud\nOPENAI_API_KEY=\n',
    env: { SKEIN_PORT: '5002', LOG_LEVEL: '' },
  });
  expect(config.http.port).toBe(5002);
  expect(config.logLevel).toBe('debug');
  expect(config.defaultModel.provider).toBe('offline');
});

test('flags win over environment and file', () => {
  const { config } = load({
    file: '{ http: { port: 5000, host: "localhost" } }',
    env: { SKEIN_PORT: '5001' },
    flags: { port: 0, host: '127.0.0.2' },
  });
  expect(config.http).toMatchObject({ port: 0, host: '127.0.0.2' });
});

test('CFG-05 channel tokens come from the environment, a token in the file wins', () => {
  const { config } = load({
    file: '{ channels: { slack: { botToken: "from-file" } } }',
    env: { DISCORD_BOT_TOKEN: 'discord-env', SLACK_BOT_TOKEN: 'slack-env', SLACK_APP_TOKEN: 'app-env' },
  });
  expect(config.channels.discord.token).toBe('discord-env');
  expect(config.channels.slack).toMatchObject({ botToken: 'from-file', appToken: 'app-env' });
});

test('CFG-05 every key, token and password is known to the redaction', () => {
  const { config } = load({
    file: `{
      http: { token: "http-secret-of-mine" },
      models: { providers: { mine: { baseUrl: "http://127.0.0.1:1", apiKey: "model-secret" } } },
      channels: { discord: { accounts: { second: { token: "account-secret" } } } },
      tools: { mcp: { servers: { files: { command: "x", env: { ANY: "env-secret" } } } } },
    }`,
    env: { OPENAI_API_KEY: 'openai-secret', REDIS_URL: 'redis://:redis-secret@127.0.0.1' },
  });
  expect(config.secrets.toSorted()).toEqual(
    [
      'account-secret',
      'env-secret',
      'http-secret-of-mine',
      'model-secret',
      'openai-secret',
      'redis-secret',
    ].toSorted(),
  );
});

test('every key of the reference is accepted without a warning', () => {
  const { warnings } = load({
    file: `{
      session: {
        scope: "global", dmScope: "per-peer",
        sendPolicy: { rules: [{ match: { channel: "discord", chatType: "group", keyPrefix: "a" }, action: "deny" }], default: "allow" },
        agentToAgent: { maxPingPongTurns: 20 },
        threadBindings: { enabled: false, idleHours: 1.5, maxAgeHours: 0, spawnSessions: false, defaultSpawnContext: "isolated" },
      },
      channels: {
        discord: {
          token: "t", apiUrl: "http://127.0.0.1:1/api", dmPolicy: "open", groupPolicy: "disabled", allowFrom: ["1"],
          guilds: { "1": { requireMention: false, users: ["2"], channels: { "3": { allow: true, requireMention: false } } } },
          slashCommand: { ephemeral: false }, autoThread: true, streaming: "off", catchUp: "off",
          commands: { guilds: ["1"] },
          threadBindings: { enabled: true, idleHours: 0, maxAgeHours: 2, spawnSubagentSessions: true, spawnSessions: true, defaultSpawnContext: "fork" },
          accounts: { second: { token: "u", threadBindings: { idleHours: 3 } } },
        },
        slack: {
          botToken: "b", appToken: "a", signingSecret: "s", mode: "http", apiUrl: "http://127.0.0.1:1/api/",
          dmPolicy: "pairing", groupPolicy: "open", allowFrom: ["U1"], channels: { C1: { requireMention: false } },
          slashCommand: { name: "skein" }, replyInThread: false, streaming: "off", catchUp: "ask",
          threadBindings: { spawnSessions: false },
        },
      },
      tools: {
        profile: "coding", deny: ["exec"], alsoAllow: ["group:sessions"], byProvider: { openai: { profile: "minimal", allow: ["x"] } },
        sessions: { visibility: "all" }, agentToAgent: { enabled: true, allow: ["*"] },
        subagents: { tools: { allow: ["a"], deny: ["b"] } },
        sessions_spawn: { attachments: { enabled: false, maxFiles: 1, maxFileBytes: 2, maxTotalBytes: 3, retainOnSessionKeep: true } },
        mcp: { servers: { a: { command: "c", args: [], env: {} }, b: { url: "http://127.0.0.1", headers: {} } } },
        approval: ["exec:rm *"],
      },
      agents: {
        defaults: {
          model: { primary: "offline/stand-in", fallbacks: ["offline/stand-in"] }, maxConcurrent: 2, budget: { day: { cost: 1 } },
          subagents: { model: "offline/stand-in", thinking: "low", runTimeoutSeconds: 1, maxSpawnDepth: 5, maxChildrenPerAgent: 20, maxConcurrent: 1, archiveAfterMinutes: 0, announceTimeoutMs: 1 },
          sandbox: { mode: "all", sessionToolsVisibility: "all" },
        },
        list: [{ id: "main", name: "M", model: "offline/stand-in", thinking: "high", workspace: "w", agentDir: "d",
          tools: { allow: ["x"] }, sandbox: { mode: "off" }, budget: { run: { tokens: 5 }, tree: { cost: 0.5 } },
          subagents: { allowAgents: ["*"], model: "offline/stand-in", thinking: "off" } }],
      },
      models: { providers: { mine: { api: "openai-chat", baseUrl: "http://127.0.0.1:1/v1", apiKey: "k", models: [{ id: "m", cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0.2 } }] } } },
      acp: { enabled: true, dispatch: { enabled: false }, backend: "b", defaultAgent: "a", allowedAgents: ["a"] },
      commands: { ownerAllowFrom: ["discord:1"], allowFrom: { "*": ["2"] }, native: false, text: false },
      messages: { queue: { mode: "interrupt", cap: 1, drop: "old", debounceMs: 0, byChannel: { slack: "collect" } } },
      http: { host: "0.0.0.0", port: 0, token: "a-token-of-my-own" },
      store: { path: "x.db", synchronous: "full" }, queue: { prefix: "p" }, shutdown: { graceSeconds: 0 },
      worktreeRoot: "~/trees",
    }`,
  });
  expect(warnings.filter((warning) => !warning.endsWith('it stays off'))).toEqual([]);
});

test('CFG-06: a channel that cannot be served stays off with a word, and nothing else is stopped', () => {
  const { config, warnings } = load({
    env: { DISCORD_BOT_TOKEN: 'discord-env', SLACK_BOT_TOKEN: 'slack-env' },
  });
  expect(config.channels.discord.token).toBe('discord-env');
  expect(warnings).toEqual([expect.stringMatching(/^channels\.slack .* stays off$/)]);
  expect(warnings.join()).not.toMatch(/slack-env/);
  expect(config.http.port).toBe(4280);
});

test('two accounts of Discord with one token are refused, since one bot would answer twice', () => {
  const file = '{ channels: { discord: { accounts: { work: { token: "abc.def.ghi" } } } } }';
  const start = () => load({ file, env: { DISCORD_BOT_TOKEN: 'abc.def.ghi' } });
  expect(start).toThrow(/channels\.discord\.accounts\.work\.token[\s\S]*another bot/);
  expect(() => load({ file, env: { DISCORD_BOT_TOKEN: 'other' } })).not.toThrow();
  expect(start).not.toThrow(/abc\.def/);
});

test('CFG-06: an account of Discord without a token stays off with a word', () => {
  const { warnings } = load({
    file: '{ channels: { discord: { accounts: { work: {}, off: { enabled: false } } } } }',
  });
  expect(warnings).toEqual(['channels.discord.accounts.work has no token; it stays off']);
});
