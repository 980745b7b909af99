import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { launcher, OLD_NODE, runSkein } from '../support/run-skein.ts';
import { startSkein } from '../support/skein-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';

const SESSION = 'agent:main:webchat:channel:general';

test('start prints the address with its token on stdout, and never writes the token to the log', async () => {
  const home = tempDir();
  const skein = await startSkein({ home, env: { LOG_LEVEL: 'debug' } });
  const token = new URL(skein.pageUrl).searchParams.get('token') ?? '';
  expect(token).toMatch(/^\S{16,}$/);
  expect(statSync(join(home, 'gateway.json')).mode & 0o777).toBe(0o600);
  const ready = await skein.request('/readyz');
  expect(ready.status).toBe(200);
  expect(await skein.terminate()).toBe(0);
  const { stdout, stderr } = skein.output();
  expect(stdout).toContain('stand-in');
  expect(stderr).not.toContain(token);
  for (const line of stderr.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
});

test('a signal stops it in order: exit code 0, and nothing is left that says it runs', async () => {
  const home = tempDir();
  const skein = await startSkein({ home });
  expect(await skein.terminate()).toBe(0);
  expect(existsSync(join(home, 'gateway.json'))).toBe(false);
  await expect(skein.request('/healthz')).rejects.toThrow();
});

test('Ctrl+C, which arrives several times through npm and the launcher, stops it in order too', async () => {
  const home = tempDir();
  const skein = await startSkein({ home });
  for (let press = 0; press < 3; press += 1) process.kill(skein.pid, 'SIGINT');
  await until(() => !existsSync(join(home, 'gateway.json')), { what: 'the gateway takes back its record' });
  await until(() => isGone(skein.pid), { what: 'the process ends' });
  expect(await skein.terminate()).toBe(0);
});

test('a tool is run through the running gateway, and without one in its stead', async () => {
  const home = tempDir();
  const skein = await startSkein({ home });
  const place = { cwd: home, env: { SKEIN_HOME: home } };
  const tool = (name: string, session: string) =>
    runSkein(['tool', name, '{"task":"count to three"}', '--session', session], place);
  await skein.say('hello');

  const through = await tool('sessions_spawn', SESSION);
  expect(through).toMatchObject({ exitCode: 0, stderr: '' });
  expect(JSON.parse(through.stdout)).toMatchObject({ status: 'accepted' });
  const unknownTool = await tool('nope', SESSION);
  expect(unknownTool).toMatchObject({ exitCode: 1, stdout: '' });
  expect(unknownTool.stderr).toMatch(/no tool named "nope"/);

  // Killed, it leaves its record behind.
  await skein.kill();
  const alone = await tool('sessions_spawn', SESSION);
  expect(alone.exitCode).toBe(0);
  expect(JSON.parse(alone.stdout)).toMatchObject({ status: 'accepted' });
  const unknownSession = await tool('sessions_spawn', 'agent:main:nowhere');
  expect(unknownSession.exitCode).toBe(1);
  expect(unknownSession.stderr).toMatch(/no session "agent:main:nowhere"/);
});

test('a second gateway on the same state folder is refused with 75, and the first one stays reachable', async () => {
  const home = tempDir();
  const skein = await startSkein({ home });
  const place = { cwd: home, env: { SKEIN_HOME: home } };
  const second = await runSkein(['start', '--port', '0'], place);
  expect(second.exitCode).toBe(75);
  expect(second.stderr).toMatch(/Another Skein is running/);
  const tool = await runSkein(['tool', 'nope', '{}', '--session', SESSION], place);
  expect(tool.stderr).toMatch(/no tool named/);
  expect(await skein.terminate()).toBe(0);
});

test('a port that is taken is named, and the exit code is 69', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  const { exitCode, stderr, stdout } = await runSkein(['start', '--port', port], { cwd: tempDir() });
  expect(exitCode).toBe(69);
  expect(stderr).toContain(port);
  expect(stdout).toBe('');
});

test('a state folder that is blocked by a file is named, and the exit code is 69', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, '.skein'), 'a file');
  const { exitCode, stderr } = await runSkein(['start', '--port', '0'], { cwd });
  expect(exitCode).toBe(69);
  expect(stderr).toContain(join(cwd, '.skein'));
});

test('CFG-01 an unknown key is a warning, and the start goes on', async () => {
  const home = tempDir();
  writeFileSync(join(home, 'skein.json5'), '{ sesion: {} }');
  const skein = await startSkein({ home });
  expect(skein.output().stderr).toContain('unknown key "sesion" is ignored; did you mean "session"?');
});

test('started on an old Node, the gateway ends with its launcher, also when that is killed', async () => {
  const home = tempDir();
  const skein = await startOnOldNode(home);
  const gateway = gatewayPid(home);
  expect(gateway).not.toBe(skein.pid);
  await skein.kill();
  await until(() => isGone(gateway), { what: 'the gateway notices that its launcher is gone' });
});

test('a signal to the launcher reaches the gateway, and its exit code comes back', async () => {
  const home = tempDir();
  const skein = await startOnOldNode(home);
  await until(() => existsSync(join(home, 'gateway.json')), { what: 'the gateway has started' });
  expect(await skein.terminate()).toBe(0);
  expect(existsSync(join(home, 'gateway.json'))).toBe(false);
});

function startOnOldNode(home: string) {
  const [option, deception] = OLD_NODE;
  return startSkein({ home, script: option, args: [deception, launcher, 'start'] });
}

function gatewayPid(home: string): number {
  const record: { pid: number } = JSON.parse(readFileSync(join(home, 'gateway.json'), 'utf8'));
  return record.pid;
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
