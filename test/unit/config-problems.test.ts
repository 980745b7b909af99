import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { ConfigError } from '../../src/config/problems.ts';
import { AppError } from '../../src/errors.ts';
import { tempDir } from '../support/temp-dir.ts';

function load(file: string, env: Readonly<Record<string, string>> = {}) {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'skein.json5'), file);
  return loadConfig({ cwd, env, home: cwd });
}

function refused(file: string, env: Readonly<Record<string, string>> = {}): ConfigError {
  try {
    load(file, env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

/** `a.b.c` and a value as the file that holds just that. */
function fileWith(path: string, value: unknown): string {
  const nested = path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return JSON.stringify(nested);
}

const AN_ID =
  'an id in quotes, not a name (turn on Developer Mode in Discord, then right-click and choose Copy ID)';
const D = 'agents.defaults.subagents';
test.each([
  [`${D}.maxSpawnDepth`, 0, 'a whole number from 1 to 5'],
  [`${D}.maxSpawnDepth`, 6, 'a whole number from 1 to 5'],
  [`${D}.maxSpawnDepth`, '2', 'a whole number from 1 to 5'],
  [`${D}.maxChildrenPerAgent`, 21, 'a whole number from 1 to 20'],
  [`${D}.maxConcurrent`, 0, 'a whole number >= 1'],
  [`${D}.runTimeoutSeconds`, -1, 'a whole number >= 0'],
  [`${D}.archiveAfterMinutes`, 0.5, 'a whole number >= 0'],
  [`${D}.announceTimeoutMs`, 0, 'a whole number >= 1'],
  ['session.agentToAgent.maxPingPongTurns', 21, 'a whole number from 0 to 20'],
  ['session.threadBindings.idleHours', -1, 'a number of hours from 0 to 876000 (0 = off)'],
  ['session.threadBindings.idleHours', 1e300, 'a number of hours from 0 to 876000 (0 = off)'],
  ['channels.slack.threadBindings.maxAgeHours', 'soon', 'a number of hours from 0 to 876000 (0 = off)'],
  [
    'session.dmScope',
    'per-peers',
    'one of "main", "per-peer", "per-channel-peer", "per-account-channel-peer"',
  ],
  ['tools.allow', 'exec', 'a list, each item a tool name or group:<name>'],
  ['agents.defaults.budget.run.tokens', 0, 'a number > 0'],
  ['http.port', 70_000, 'a whole number from 0 to 65535'],
  ['http.token', 'two words of mine', 'at least 16 letters, digits, or of . _ ~ / = -'],
  ['http.token', 'short', 'at least 16 letters, digits, or of . _ ~ / = -'],
  ['http.token', 'plus+is+a+space+in+addresses', 'at least 16 letters, digits, or of . _ ~ / = -'],
  ['http', 4280, 'an object { … }'],
  ['commands.native', 'yes', '"auto", true or false'],
  ['worktreeRoot', 'trees', 'an absolute path, or one beginning with ~/'],
  ['channels.discord.apiUrl', 'localhost', 'a URL beginning with http:// or https://'],
])('CFG-01 CFG-02 %s refuses %j and says what it wants', (path, value, expected) => {
  const [problem, ...others] = refused(fileWith(path, value)).problems;
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ path, expected });
});

test.each([
  ['commands.allowFrom', { discrod: ['1'] }, '.discrod', '"discrod"', 'discord'],
  ['commands.ownerAllowFrom', ['discrod:1'], '[0]', '"discrod:1"', 'discord:1'],
  ['commands.ownerAllowFrom', ['irc:1'], '[0]', '"irc:1"', undefined],
  ['messages.queue.byChannel', { Slakc: 'steer' }, '.Slakc', '"Slakc"', 'slack'],
  ['messages.queue.byChannel', { matrix: 'steer' }, '.matrix', '"matrix"', undefined],
  [
    'session.sendPolicy.rules',
    [{ match: { channel: 'webcaht' }, action: 'deny' }],
    '[0].match.channel',
    '"webcaht"',
    'webchat',
  ],
])('CFG-01 AUTH-06: a channel that there is not is no name for %s: %j', (key, value, at, found, nearest) => {
  const [problem, ...others] = refused(fileWith(key, value)).problems;
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ path: key + at, found });
  expect(problem?.expected).toContain('one of "discord", "slack", "webchat"');
  expect(problem?.nearest).toBe(nearest);
});

test('CFG-01 the nearest known value is told with a wrong one', () => {
  expect(refused(fileWith('commands.allowFrom', { discrod: [] })).message).toContain(
    'expected one of "discord", "slack", "webchat", or "*" for all others, found "discrod"; did you mean "discord"?',
  );
});

const DISCORD = 'channels.discord';
test.each([
  ['commands.ownerAllowFrom', ['discord:Ada'], '[0]', '"discord:Ada"'],
  ['commands.allowFrom', { discord: ['1', 'Ada'] }, '.discord[1]', '"Ada"'],
  [`${DISCORD}.guilds`, { Home: {} }, '.Home', '"Home"'],
  [`${DISCORD}.guilds`, { 1: { channels: { general: {} } } }, '.1.channels.general', '"general"'],
  [`${DISCORD}.guilds`, { 1: { roles: ['Admins'] } }, '.1.roles[0]', '"Admins"'],
  [`${DISCORD}.guilds`, { 1: { channels: { 2: { users: ['ada'] } } } }, '.1.channels.2.users[0]', '"ada"'],
  [`${DISCORD}.allowFrom`, ['ada'], '[0]', '"ada"'],
  [`${DISCORD}.commands.guilds`, ['Home'], '[0]', '"Home"'],
  [`${DISCORD}.accounts`, { two: { guilds: { Home: {} } } }, '.two.guilds.Home', '"Home"'],
])('CFG-01 a name where Discord knows ids only is a wrong value: %s: %j', (key, value, at, found) => {
  const [problem, ...others] = refused(fileWith(key, value)).problems;
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ path: key + at, found });
  expect(problem?.expected).toContain(AN_ID);
});

test('ids, "*" for all, and the ids of other platforms are taken', () => {
  const guild = { users: ['*'], roles: ['7'], channels: { '*': {}, 123456789012345678: { users: ['1'] } } };
  const { config } = load(
    JSON.stringify({
      channels: {
        discord: { allowFrom: ['*'], guilds: { '*': guild, 123456789012345678: guild } },
        slack: { allowFrom: ['U1'], channels: { general: { users: ['U2'] } } },
      },
      commands: {
        ownerAllowFrom: ['discord:1', 'slack:U1', 'webchat:me'],
        allowFrom: { discord: ['*'], slack: ['U1'], webchat: ['me'], '*': ['anybody'] },
      },
    }),
  );
  expect(Object.keys(config.channels.discord.guilds ?? {})).toHaveLength(2);
});

test('CFG-01 all wrong values are told at once, with what was found, and the unknown keys too', () => {
  const error = refused('{ http: { port: "x" }, session: { scope: 1 }, agnets: {} }', {
    SKEIN_PORT: '99999',
  });
  expect(error.problems).toEqual([
    { path: 'SKEIN_PORT', expected: 'a port number from 0 to 65535', found: '"99999"' },
    { path: 'session.scope', expected: 'one of "per-sender", "global"', found: '1' },
    { path: 'http.port', expected: 'a whole number from 0 to 65535', found: '"x"' },
  ]);
  expect(error.warnings).toEqual(['unknown key "agnets" is ignored; did you mean "agents"?']);
  expect(error.code).toBe('config-invalid');
});

test('a wrong secret is never shown', () => {
  const error = refused(
    '{ http: { token: 987654321 }, tools: { mcp: { servers: { a: { url: "x", headers: { any: 55555 } } } } } }',
    { REDIS_URL: 'localhost-private' },
  );
  expect(error.problems.length).toBeGreaterThanOrEqual(3);
  for (const secret of ['987654321', '55555', 'localhost-private']) {
    expect(error.message).not.toContain(secret);
    expect(JSON.stringify(error.problems)).not.toContain(secret);
  }
});

test('an id without quotes is refused, since its last digits would be lost', () => {
  const [problem] = refused('{ channels: { discord: { allowFrom: [123456789012345678] } } }').problems;
  expect(problem).toMatchObject({ path: 'channels.discord.allowFrom[0]', expected: AN_ID });
});

test.each([
  [`{ ${'a: 1,'.repeat(1)}\n  b: }`, /skein\.json5:2:6: not valid JSON5/],
  ['{ http: {', /skein\.json5:1:10: not valid JSON5/],
])('a syntax error gives file, line and column', (file, message) => {
  expect(() => load(file)).toThrow(message);
  expect(() => load(file)).toThrow(AppError);
});

test.each([
  [{ agents: { defaults: { subagents: { maxSpwanDepth: 2 } } } }, `${D}.maxSpwanDepth`, `${D}.maxSpawnDepth`],
  [{ idleHours: 3 }, 'idleHours', 'session.threadBindings.idleHours'],
  [{ channels: { discrod: {} } }, 'channels.discrod', 'channels.discord'],
  [
    { channels: { discord: { guilds: { 9: { channels: { 8: { requireMenton: false } } } } } } },
    'channels.discord.guilds.9.channels.8.requireMenton',
    'channels.discord.guilds.9.channels.8.requireMention',
  ],
  [{ agents: { list: [{ id: 'a', workspce: 'x' }] } }, 'agents.list[0].workspce', 'agents.list[0].workspace'],
  [{ session: { thread_bindings: {} } }, 'session.thread_bindings', 'session.threadBindings'],
])('CFG-01 an unknown key is a warning that names the nearest known one: %j', (file, key, nearest) => {
  const { warnings } = load(JSON.stringify(file));
  expect(warnings).toEqual([`unknown key "${key}" is ignored; did you mean "${nearest}"?`]);
});

test('an unknown key that nothing reads like is ignored with no guess', () => {
  const { warnings } = load('{ qqqqqq: 1, channels: { discord: { zzzzzzz: 1 } } }');
  expect(warnings).toEqual([
    'unknown key "qqqqqq" is ignored',
    'unknown key "channels.discord.zzzzzzz" is ignored',
  ]);
});

test.each([
  ['{ tools: { allow: ["a"], alsoAllow: ["b"] } }', 'tools.alsoAllow'],
  [
    '{ agents: { list: [{ id: "a", tools: { byProvider: { x: { allow: [], alsoAllow: [] } } } }] } }',
    'agents.list[0].tools.byProvider.x.alsoAllow',
  ],
  ['{ agents: { list: [{ id: "a" }, { id: "a" }] } }', 'agents.list[1].id'],
  ['{ http: { host: "0.0.0.0" } }', 'http.token'],
  ['{ http: { host: "::" } }', 'http.token'],
  ['{ agents: { defaults: { model: "nobody/model" } } }', 'agents.defaults.model'],
  [
    '{ agents: { list: [{ id: "a", model: { primary: "openai/x", fallbacks: ["nobody/x"] } }] } }',
    'agents.list[0].model.fallbacks[0]',
  ],
  ['{ models: { providers: { mine: {} } } }', 'models.providers.mine.baseUrl'],
])('rules across keys: %s', (file, path) => {
  expect(refused(file).problems.map((problem) => problem.path)).toEqual([path]);
});

test.each(['127.0.0.1', '127.9.9.9', 'localhost', '::1'])('the host %s needs no token', (host) => {
  expect(load(fileWith('http.host', host)).config.http.host).toBe(host);
});

test('a model whose provider has no key is a warning that names the variable', () => {
  const { warnings } = load(fileWith('agents.defaults.model', 'openai/any'));
  expect(warnings).toEqual([
    'agents.defaults.model names openai/any, but there is no key for it; set OPENAI_API_KEY',
  ]);
});

test('a model whose API is not spoken is a warning that says what to use instead', () => {
  const { warnings } = load(fileWith('agents.defaults.model', 'anthropic/any'));
  expect(warnings).toEqual([
    "agents.defaults.model names anthropic/any, but this version does not speak its API (anthropic); reach it through OpenRouter or another server with OpenAI's chat API",
  ]);
});
