/** Opening the state: private files, newer, foreign and damaged databases refused untouched, one gateway at a time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireStateLock, openSqliteStore } from '../../adapters/sql/index.ts';
import { databaseSettings, keyOf, newSession, said, temporaryFolder } from '../support/sql-fixtures.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let path: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder.path, 'state', 'skein.db');
});
afterEach(() => folder.remove());

const open = (at = path) => openSqliteStore(databaseSettings(at));
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

async function createDatabase(entries = 1): Promise<void> {
  const { store, close } = await open();
  await store.transaction(async (tx) => {
    await tx.sessions.ensure(newSession('a'));
    await tx.entries.append(
      keyOf('a'),
      Array.from({ length: entries }, (_, i) => said(`${i} `.repeat(50))),
      1,
    );
  });
  await close();
}

/** The file is refused with a message of these words, and nothing in its folder was changed or added. */
async function expectRefusal(words: RegExp): Promise<void> {
  const before = readFileSync(path);
  const files = readdirSync(join(path, '..'));
  await expect(open()).rejects.toMatchObject({
    code: 'state-unusable',
    message: expect.stringMatching(words),
  });
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(join(path, '..'))).toEqual(files);
}

describe('the database file', () => {
  it('is made with its folder and, like its journals, read by its owner alone', async () => {
    const { store, close } = await open();
    await store.transaction((tx) => tx.sessions.ensure(newSession('a')));
    expect(readdirSync(join(path, '..')).sort()).toEqual(['skein.db', 'skein.db-shm', 'skein.db-wal']);
    for (const file of ['', '-shm', '-wal']) expect(modeOf(path + file)).toBe('600');
    await close();
  });

  it('becomes private when it was not', async () => {
    await createDatabase();
    chmodSync(path, 0o644);
    await (await open()).close();
    expect(modeOf(path)).toBe('600');
  });

  it('keeps what was committed, over closing and opening', async () => {
    await createDatabase();
    const { store, close } = await open();
    expect(await store.read.entries.list(keyOf('a'))).toHaveLength(1);
    await close();
  });

  it('closes twice without harm and refuses later work', async () => {
    const { store, close } = await open();
    await close();
    await close();
    await expect(store.transaction(async () => 1)).rejects.toMatchObject({ code: 'store-failed' });
    await expect(store.read.sessions.recent(1)).rejects.toMatchObject({ code: 'store-failed' });
  });

  it('begins anew from an empty file', async () => {
    mkdirSync(join(path, '..'));
    writeFileSync(path, '');
    await (await open()).close();
    expect(statSync(path).size).toBeGreaterThan(0);
  });
});

describe('a database that must not be used', () => {
  it('is refused untouched when a newer version wrote it', async () => {
    await createDatabase();
    const database = new Database(path);
    database.pragma('user_version = 9000');
    database.close();
    await expectRefusal(/newer Skein.*9000/);
  });

  it('is refused when a newer version was killed and its journal is still there', async () => {
    await createDatabase();
    const database = new Database(path);
    database.pragma('user_version = 9000');
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    await expect(open()).rejects.toMatchObject({ code: 'state-unusable' });
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    database.close();
  });

  it('is refused untouched when it belongs to another program', async () => {
    mkdirSync(join(path, '..'));
    const database = new Database(path);
    database.exec('CREATE TABLE notes (text)');
    database.close();
    await expectRefusal(/another program/);
  });

  it('is refused untouched when it is no database', async () => {
    mkdirSync(join(path, '..'));
    writeFileSync(path, 'not a database at all '.repeat(200));
    await expectRefusal(/damaged or not a database/);
  });

  it('is refused untouched when its end is missing', async () => {
    await createDatabase(200);
    truncateSync(path, Math.floor(statSync(path).size / 2 / 4096) * 4096);
    await expectRefusal(/damaged/);
  });

  it('is refused untouched when a page in its middle is overwritten', async () => {
    await createDatabase(200);
    const bytes = readFileSync(path);
    bytes.fill(0xa5, 4096, 4096 * 12);
    writeFileSync(path, bytes);
    await expectRefusal(/damaged/);
  });
});

describe('a folder that cannot be used', () => {
  it('is named when a file is in its way', async () => {
    const file = join(folder.path, 'file');
    writeFileSync(file, '');
    const refusal = {
      code: 'state-unusable',
      message: expect.stringMatching(/a file is in the way.*SKEIN_HOME/),
    };
    await expect(open(join(file, 'skein.db'))).rejects.toMatchObject(refusal);
    await expect(open(join(file, 'deeper', 'skein.db'))).rejects.toMatchObject(refusal);
  });

  it('is named when a folder stands where the database should be', async () => {
    mkdirSync(path, { recursive: true });
    await expect(open()).rejects.toMatchObject({
      code: 'state-unusable',
      message: expect.stringContaining('is not a file'),
    });
  });

  it('is named when it is read-only, also for root', async () => {
    const readOnly = process.getuid?.() === 0 ? '/proc/sys' : folder.path;
    if (readOnly === folder.path) chmodSync(readOnly, 0o500);
    const refused = open(join(readOnly, 'skein', 'skein.db'));
    await expect(refused).rejects.toMatchObject({ code: 'state-unusable' });
    await expect(refused).rejects.toThrow(readOnly);
    if (readOnly === folder.path) chmodSync(readOnly, 0o700);
  });
});

describe('the lock of the state folder', () => {
  const locked = { code: 'state-locked', message: expect.stringContaining('Another Skein') };

  it('is held by one, until it is released', () => {
    const lock = acquireStateLock(join(folder.path, 'lock'));
    expect(() => acquireStateLock(join(folder.path, 'lock'))).toThrow(expect.objectContaining(locked));
    expect(modeOf(join(folder.path, 'lock'))).toBe('600');
    lock.release();
    lock.release();
    acquireStateLock(join(folder.path, 'lock')).release();
  });

  it('is refused while another process holds it, and free as soon as that is killed', async () => {
    const file = join(folder.path, 'lock');
    const holder = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `import { acquireStateLock } from ${JSON.stringify(new URL('../../adapters/sql/index.ts', import.meta.url).href)};
       acquireStateLock(${JSON.stringify(file)});
       process.stdout.write('held');
       setInterval(() => {}, 1000);`,
    ]);
    await once(holder.stdout, 'data');
    expect(() => acquireStateLock(file)).toThrow(expect.objectContaining(locked));
    expect(() => acquireStateLock(file)).toThrow(expect.objectContaining(locked));
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    acquireStateLock(file).release();
  });

  it('names a file in the way of its folder', () => {
    writeFileSync(join(folder.path, 'file'), '');
    expect(() => acquireStateLock(join(folder.path, 'file', 'lock'))).toThrow(
      expect.objectContaining({ code: 'state-unusable' }),
    );
  });
});
