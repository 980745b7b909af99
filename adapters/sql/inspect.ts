/**
 * A look at the database before anything may change it: a file of a newer program, of another program, or a damaged one is
 * refused as it is, byte for byte. Reading through SQLite (and not with `fs`) keeps the locks of this process, and a
 * connection that only read leaves no journal behind.
 */
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { BUSY_TIMEOUT_MS, isBusy } from './connection.ts';
import { APPLICATION_ID } from './migrate.ts';
import { toStateError, unusable } from './state-file.ts';

/** A full check reads every page; up to this size it takes well under 100 ms, beyond it start-up would suffer. */
const MAX_CHECKED_BYTES = 32 * 1024 * 1024;

/** Throws `state-unusable` if the file must not be opened by a program whose newest migration is `newest`. */
export function inspectDatabase(path: string, newest: number): void {
  if (statSync(path).size === 0) return;
  // With a journal present the file may belong to a process that is at work, or that was killed: then reading is all
  // that is allowed, since closing a writable connection would fold the journal in.
  const readonly = hasJournal(path);
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { readonly, timeout: BUSY_TIMEOUT_MS });
    examine(database, path, newest);
  } catch (thrown) {
    if (!isBusy(thrown)) throw toStateError(path, thrown);
    // Another process is just opening or closing it, so it is in use and sound; opening it tries again.
  } finally {
    database?.close();
  }
}

function examine(database: Database.Database, path: string, newest: number): void {
  const number = (pragma: string) => database.pragma(pragma, { simple: true }) as number;
  const version = number('user_version');
  if (number('application_id') !== APPLICATION_ID) {
    if (!hasTables(database)) return;
    throw unusable(`${path} is the database of another program. Set SKEIN_HOME to another folder.`);
  }
  if (version > newest) {
    throw unusable(
      `${path} was written by a newer Skein (schema ${version}, this one knows ${newest}). Update Skein, or set SKEIN_HOME to another folder.`,
    );
  }
  if (statSync(path).size > MAX_CHECKED_BYTES) return;
  const problem = database.pragma('quick_check(1)', { simple: true });
  if (problem !== 'ok') throw new Database.SqliteError(String(problem), 'SQLITE_CORRUPT');
}

function hasTables(database: Database.Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}

function hasJournal(path: string): boolean {
  return statSync(`${path}-wal`, { throwIfNoEntry: false }) !== undefined;
}
