/** The promises of ports/adapter-memory.ts, kept by the SQLite store. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteStore, type SqliteStores } from '../../adapters/sql/index.ts';
import { databaseSettings, temporaryFolder } from '../support/sql-fixtures.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let stores: SqliteStores;

const open = async () => {
  stores = await openSqliteStore(databaseSettings(join(folder.path, 'skein.db')));
};
const memory = (account = 'default') => stores.adapterMemory({ channel: 'discord', account });

beforeEach(async () => {
  folder = await temporaryFolder();
  await open();
});
afterEach(async () => {
  await stores.close();
  await folder.remove();
});

it('keeps what it is given across a restart', async () => {
  await memory().set('preview:1', 'a');
  await stores.close();
  await open();
  expect(await memory().list('preview:')).toEqual([{ key: 'preview:1', value: 'a' }]);
});

it('replaces a value, and forgets what is removed', async () => {
  await memory().set('a', '1');
  await memory().set('a', '2');
  expect(await memory().list('')).toEqual([{ key: 'a', value: '2' }]);
  await memory().remove('a');
  await memory().remove('a');
  expect(await memory().list('')).toEqual([]);
});

it('lists, in order, the keys that begin with the prefix and no others', async () => {
  for (const key of ['b:2', 'b:', 'b:10', 'b', 'b;', 'a:1', 'b:ü', 'B:1']) await memory().set(key, key);
  expect((await memory().list('b:')).map(({ key }) => key)).toEqual(['b:', 'b:10', 'b:2', 'b:ü']);
});

it('keeps accounts apart', async () => {
  await memory('one').set('k', '1');
  await memory('two').set('k', '2');
  await memory('one').remove('k');
  expect(await memory('one').list('')).toEqual([]);
  expect(await memory('two').list('')).toEqual([{ key: 'k', value: '2' }]);
});
