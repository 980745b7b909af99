/** The fake Discord as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';

const ENTRY = fileURLToPath(import.meta.resolve('../fakes/discord/main.ts'));

/** The first line that the process prints. */
async function firstLine({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout!) {
    text += String(chunk);
    const end = text.indexOf('\n');
    if (end >= 0) return text.slice(0, end);
  }
  throw new Error(`the process ended after: ${text}`);
}

test('as a process it says where it is, and ends with its input', async () => {
  const child = spawn(process.execPath, [ENTRY, '{"guild":"Home"}'], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { apiUrl, token } = JSON.parse(await firstLine(child)) as { apiUrl: string; token: string };
  const guilds = await fetch(`${apiUrl}/v10/users/@me/guilds`, {
    headers: { authorization: `Bot ${token}` },
  });
  expect(await guilds.json()).toMatchObject([{ name: 'Home' }]);
  child.stdin.end();
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

test.each([
  [{}, /^Requests are not checked against Discord's API description, which is not here\.\n$/],
  [{ VITEST: 'true' }, /^!!! .* NO REQUEST IS CHECKED .* !!!\n$/],
])(
  'without the description beside the project it says in one line, with no path, that nothing is checked (%j)',
  async (env, told) => {
    const clone = tempDir();
    for (const folder of ['fakes/discord', 'support'])
      cpSync(new URL(`../${folder}`, import.meta.url), join(clone, 'test', folder), { recursive: true });
    for (const shared of ['node_modules', 'src', 'package.json'])
      symlinkSync(new URL(`../../${shared}`, import.meta.url), join(clone, shared));
    const { VITEST: _, ...others } = process.env;
    const child = spawn(process.execPath, [join(clone, 'test/fakes/discord/main.ts')], {
      env: { ...others, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const errors = text(child.stderr);
    expect(JSON.parse(await firstLine(child))).toHaveProperty('token');
    child.stdin.end();
    expect(await errors).toMatch(told);
  },
);
