/** What npm puts between a person and the gateway, a shell, and how the gateway fares when one of the two is gone. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { launcher } from '../support/run-skein.ts';
import { tempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';

interface Started {
  readonly npm: number;
  readonly shell: number;
  readonly gateway: number;
}

/** A shell in npm's place, the shell that npm starts, and in it the launcher. */
async function startAsNpmDoes(home: string): Promise<Started> {
  const inner = 'echo $$ > shell.pid; "$0" "$1" start; exit $?';
  const npm = spawn('sh', ['-c', `sh -c '${inner}' "$0" "$1"; exit $?`, process.execPath, launcher], {
    cwd: home,
    env: { HOME: home, SKEIN_HOME: home, SKEIN_PORT: '0', npm_lifecycle_event: 'start' },
    stdio: 'ignore',
    detached: true,
  });
  onTestFinished(() => {
    if (isThere(-npm.pid!)) process.kill(-npm.pid!, 'SIGKILL');
  });
  const record = join(home, 'gateway.json');
  await until(() => existsSync(record), { what: 'the gateway has started' });
  const gateway = await until(() => pidIn(record), { what: 'the record is whole' });
  const shell = Number(readFileSync(join(home, 'shell.pid'), 'utf8'));
  expect(new Set([npm.pid, shell, gateway]).size).toBe(3);
  return { npm: npm.pid!, shell, gateway };
}

function pidIn(record: string): number | undefined {
  const text = readFileSync(record, 'utf8');
  return text.endsWith('\n') ? (JSON.parse(text) as { pid: number }).pid : undefined;
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('a signal to npm, of which only its shell dies, stops the gateway in order', async () => {
  const home = tempDir();
  const { shell, gateway } = await startAsNpmDoes(home);
  process.kill(shell, 'SIGTERM');
  await until(() => !isThere(gateway), { what: 'the gateway ends' });
  expect(existsSync(join(home, 'gateway.json'))).toBe(false);
});

test.runIf(process.platform === 'linux')('npm killed at once takes the gateway along', async () => {
  const home = tempDir();
  const { npm, gateway } = await startAsNpmDoes(home);
  process.kill(npm, 'SIGKILL');
  await until(() => !isThere(gateway), { what: 'the gateway ends' });
  expect(existsSync(join(home, 'gateway.json'))).toBe(false);
});
