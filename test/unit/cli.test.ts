import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OLD_NODE, runSkein } from '../support/run-skein.ts';
import { tempDir } from '../support/temp-dir.ts';

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

test('skein version prints its version', async () => {
  const { exitCode, stdout } = await runSkein(['version'], { cwd: tempDir() });
  expect(exitCode).toBe(0);
  expect(stdout).toBe(`skein ${manifest.version} (node ${process.versions.node})\n`);
});

test('skein --help names every command, with examples and exit codes', async () => {
  const { exitCode, stdout } = await runSkein(['--help'], { cwd: tempDir() });
  expect(exitCode).toBe(0);
  for (const word of ['start', 'tool', 'config', 'doctor', 'discord', 'version', 'Examples:', '78'])
    expect(stdout).toContain(word);
});

test.each([[[]], [['start']], [['worker']], [['tool']], [['doctor']]])(
  'the examples of skein %j --help can be typed as they stand where Skein is no global command',
  async (args) => {
    const { stdout } = await runSkein([...args, '--help'], { cwd: tempDir() });
    const examples = stdout.split('Examples:\n')[1]!.split('\n\n')[0]!.split('\n').filter(Boolean);
    expect(examples.length).toBeGreaterThan(0);
    for (const line of examples) expect(line).toMatch(/^ {2}([A-Z_]+=\S+ )?npx skein /);
  },
);

test.each([
  [['strat'], /Did you mean start\?/],
  [['start', '--port', 'x'], /number from 0 to 65535/],
  [['tool', 'agents_list'], /--session/],
  [['tool', 'agents_list', '{', '--session', 'agent:main:main'], /not JSON/],
  [['tool', 'agents_list', '[]', '--session', 'agent:main:main'], /must be a JSON object/],
])('a wrong call %j ends with 2 and says what is wrong', async (args, message) => {
  const { exitCode, stdout, stderr } = await runSkein(args, { cwd: tempDir() });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(message);
  expect(stdout).toBe('');
});

test('CFG-01 skein config check tells every problem, with the nearest known key, and ends with 78', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'skein.json5'), '{ http: { port: "x" }, agents: { defalts: {} } }');
  const { exitCode, stderr } = await runSkein(['config', 'check'], {
    cwd,
    env: { REDIS_URL: 'private-value' },
  });
  expect(exitCode).toBe(78);
  expect(stderr).toContain('http.port: expected a whole number from 0 to 65535, found "x"');
  expect(stderr).toContain('REDIS_URL: expected');
  expect(stderr).toContain('unknown key "agents.defalts" is ignored; did you mean "agents.defaults"?');
  expect(stderr).not.toContain('private-value');
  expect(stderr).not.toMatch(/^\s+at /m);
});

test('skein config check is content with a right file, and shows its warnings', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'my.json5'), '{ htp: {} }');
  const { exitCode, stdout } = await runSkein(['config', 'check', '--config', 'my.json5'], { cwd });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('warning: unknown key "htp"');
  expect(stdout).toContain(`${join(cwd, 'my.json5')}: no wrong values.`);
});

test('CFG-01 a wrong configuration stops the start before anything is made', async () => {
  const cwd = tempDir();
  const { exitCode, stderr } = await runSkein(['start', '--host', '0.0.0.0'], { cwd });
  expect(exitCode).toBe(78);
  expect(stderr).toContain('http.token');
  expect(readdirSync(cwd)).toEqual([]);
});

test('the stack of an error is shown while debugging only', async () => {
  const place = { cwd: tempDir(), env: { SKEIN_CONFIG: 'none.json5' } };
  const quiet = await runSkein(['config', 'check'], place);
  expect(quiet.stderr).toMatch(/^skein: There is no configuration file .*none\.json5; .*\n$/);
  const loud = await runSkein(['config', 'check'], { ...place, env: { ...place.env, LOG_LEVEL: 'debug' } });
  expect(loud.stderr).toMatch(/^\s+at /m);
});

test('on a Node that is too old the one that npm brought along is used', async () => {
  const { exitCode, stdout } = await runSkein(['version'], { cwd: tempDir(), nodeOptions: OLD_NODE });
  expect(exitCode).toBe(0);
  expect(stdout).toContain(`skein ${manifest.version}`);
});

test('the exit code passes through the launcher', async () => {
  const { exitCode } = await runSkein(['config', 'check'], {
    cwd: tempDir(),
    env: { SKEIN_PORT: 'x' },
    nodeOptions: OLD_NODE,
  });
  expect(exitCode).toBe(78);
});

test('CFG-01 a .env that cannot be read is named, and the exit code is 78', async () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, '.env'));
  const { exitCode, stderr } = await runSkein(['config', 'check'], { cwd });
  expect(exitCode).toBe(78);
  expect(stderr).toMatch(/^skein: Cannot read .*\.env/);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
