/** `skein doctor` on this machine, without any channel. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFakeModelServer } from '../fakes/model-server.ts';
import { freePort } from '../support/free-port.ts';
import { runSkein } from '../support/run-skein.ts';
import { startSkein } from '../support/skein-process.ts';
import { tempDir } from '../support/temp-dir.ts';

interface Check {
  readonly name: string;
  readonly status: string;
  readonly found: string;
  readonly advice?: string;
}

async function doctor(cwd: string, env: Readonly<Record<string, string>> = {}) {
  const { exitCode, stdout } = await runSkein(['doctor', '--json'], {
    cwd,
    env: { SKEIN_HOME: cwd, ...env },
  });
  const { checks }: { checks: readonly Check[] } = JSON.parse(stdout);
  return { exitCode, named: (name: string) => checks.find((check) => check.name === name) };
}

test('on a bare machine nothing is wrong', async () => {
  const { exitCode, named } = await doctor(tempDir());
  expect(exitCode).toBe(0);
  expect(named('gateway')).toMatchObject({ status: 'ok', found: 'Not running.' });
  expect(named('model')).toMatchObject({ status: 'warn', advice: expect.stringContaining('OPENAI_API_KEY') });
  expect(named('discord')).toMatchObject({
    status: 'ok',
    advice: expect.stringContaining('docs/discord.md'),
  });
});

test('a running gateway is found, and not disturbed', async () => {
  const home = tempDir();
  const skein = await startSkein({ home });
  const { exitCode, named } = await doctor(home);
  expect(exitCode).toBe(0);
  expect(named('gateway')).toMatchObject({ status: 'ok', found: expect.stringContaining(skein.url) });
  expect(named('database')).toMatchObject({ status: 'ok', found: expect.stringContaining('up to date') });
  expect(await skein.terminate()).toBe(0);
  expect((await doctor(home)).named('gateway')).toMatchObject({ found: 'Not running.' });
});

test('a database that is none is wrong', async () => {
  const home = tempDir();
  writeFileSync(join(home, 'skein.db'), 'a letter to somebody, not a database '.repeat(30));
  const { exitCode, named } = await doctor(home);
  expect(exitCode).toBe(1);
  expect(named('database')).toMatchObject({ status: 'fail', found: expect.stringContaining('damaged') });
});

test('a state folder that cannot be one is wrong', async () => {
  const cwd = tempDir();
  const SKEIN_HOME = join(cwd, 'a-file');
  writeFileSync(SKEIN_HOME, '');
  expect((await doctor(cwd, { SKEIN_HOME })).named('state folder')).toMatchObject({
    status: 'fail',
    found: expect.stringContaining('is a file'),
  });
});

test('a provider that answers is well, and one that does not is wrong', async () => {
  const cwd = tempDir();
  const server = await createFakeModelServer();
  onTestFinished(() => server.close());
  const configure = (baseUrl: string) =>
    writeFileSync(
      join(cwd, 'skein.json5'),
      JSON.stringify({
        models: { providers: { mine: { baseUrl, apiKey: 'key-that-nobody-may-see' } } },
        agents: { defaults: { model: 'mine/some-model' } },
      }),
    );
  configure(server.baseUrl);
  server.install(['some-model']);
  expect((await doctor(cwd)).named('model')).toMatchObject({ status: 'ok' });
  server.install(['other-model']);
  expect((await doctor(cwd)).named('model')).toMatchObject({ status: 'warn' });
  configure(`http://127.0.0.1:${await freePort()}/v1`);
  const { exitCode, named } = await doctor(cwd);
  expect(exitCode).toBe(1);
  expect(named('model')).toMatchObject({ status: 'fail', found: expect.stringContaining('ECONNREFUSED') });
});
