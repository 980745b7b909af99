import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  acquireStateLock,
  isStateLocked,
  lookAtDatabase,
  openSqliteStore,
} from '../../adapters/sql/index.ts';
import { modelCheck } from '../../src/doctor/model.ts';
import { nodeCheck } from '../../src/doctor/node-version.ts';
import { stateChecks } from '../../src/doctor/state-folder.ts';
import { AppError } from '../../src/errors.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { silentLog } from '../support/silent-log.ts';
import { tempDir } from '../support/temp-dir.ts';

test.each([
  ['24.21.0', 'ok'],
  ['22.18.0', 'ok'],
  ['22.17.9', 'fail'],
  ['20.20.2', 'fail'],
])('Node %s is %s', (version, status) => {
  expect(nodeCheck(version).status).toBe(status);
});

test('a state folder that is not there yet is no fault', () => {
  const home = join(tempDir(), 'a', 'b');
  const checks = stateChecks({ home, databasePath: join(home, 'skein.db'), database: () => 'missing' });
  expect(checks.filter(({ name }) => name !== 'disk').map(({ status }) => status)).toEqual(['ok', 'ok']);
});

test('a state folder below a file is wrong', () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'file'), '');
  const home = join(cwd, 'file', 'home');
  const [folder] = stateChecks({ home, databasePath: join(home, 'skein.db'), database: () => 'missing' });
  expect(folder).toMatchObject({ status: 'fail', advice: expect.stringContaining('SKEIN_HOME') });
});

test('a database that cannot be used is told in the words of its refusal', () => {
  const home = tempDir();
  const refuse = () => {
    throw new AppError('state-unusable', 'It is of a newer Skein. Update Skein.');
  };
  const checks = stateChecks({ home, databasePath: join(home, 'skein.db'), database: refuse });
  expect(checks.at(-1)).toMatchObject({ status: 'fail', found: 'It is of a newer Skein. Update Skein.' });
});

test('looking at a database tells whether it is there, current or damaged', async () => {
  const home = tempDir();
  const path = join(home, 'skein.db');
  expect(lookAtDatabase(path)).toBe('missing');
  const stores = await openSqliteStore({
    path,
    synchronous: 'normal',
    clock: createManualClock(),
    log: silentLog,
  });
  expect(lookAtDatabase(path)).toBe('current');
  await stores.close();
  expect(lookAtDatabase(path)).toBe('current');
  const damaged = join(home, 'damaged.db');
  writeFileSync(damaged, 'not a database, but long enough to be looked at as one'.repeat(20));
  expect(() => lookAtDatabase(damaged)).toThrow(/damaged or not a database/);
});

test('looking at the lock tells whether a gateway holds it, and makes no file', () => {
  const path = join(tempDir(), 'gateway.lock');
  expect(isStateLocked(path)).toBe(false);
  expect(existsSync(path)).toBe(false);
  const lock = acquireStateLock(path);
  expect(isStateLocked(path)).toBe(true);
  lock.release();
  expect(isStateLocked(path)).toBe(false);
});

test.each([
  [{ kind: 'reached', models: ['m', 'n'] } as const, 'ok'],
  [{ kind: 'reached' } as const, 'ok'],
  [{ kind: 'reached', models: ['other'] } as const, 'warn'],
  [{ kind: 'reached', models: [] } as const, 'fail'],
  [{ kind: 'key-refused' } as const, 'fail'],
  [{ kind: 'unreachable', problem: 'ECONNREFUSED' } as const, 'fail'],
  [{ kind: 'not-asked' } as const, 'ok'],
  [{ kind: 'offline' } as const, 'warn'],
])('a provider that is %j makes the model %s', (reach, status) => {
  expect(modelCheck('mine', 'm', reach).status).toBe(status);
});
