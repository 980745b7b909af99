/** A look at a state folder that changes nothing there, for whoever wants to know whether Skein could work with it. */
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isBusy } from './connection.ts';
import { inspectDatabase } from './inspect.ts';
import { readMigrations } from './migrate.ts';

/** `older`: the next start brings the schema up to date. */
export type DatabaseState = 'missing' | 'current' | 'older';

/** Throws `state-unusable`, with what to do, if the file must not be opened: damaged, of a newer version, another program's. */
export function lookAtDatabase(path: string): DatabaseState {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return 'missing';
  const newest = readMigrations().at(-1)?.number ?? 0;
  inspectDatabase(path, newest);
  const database = new Database(path, { readonly: true });
  try {
    return database.pragma('user_version', { simple: true }) === newest ? 'current' : 'older';
  } finally {
    database.close();
  }
}

/** Whether a gateway holds the lock in that file. Reading is enough to find out: who holds it shuts readers out too. */
export function isStateLocked(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })) return false;
  const database = new Database(path, { readonly: true, timeout: 0 });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (thrown) {
    if (isBusy(thrown)) return true;
    throw thrown;
  } finally {
    database.close();
  }
}
