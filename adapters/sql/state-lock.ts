/**
 * The lock on a state folder: one gateway at a time. It is an SQLite file held in an exclusive transaction, so the operating
 * system frees it when its process ends, however it ends; there is no stale lock to clear away.
 */
import Database from 'better-sqlite3';
import { AppError } from '../../src/errors.ts';
import { isBusy } from './connection.ts';
import { createStateFile, makePrivate, toStateError } from './state-file.ts';

export interface StateLock {
  /** Frees the folder; releasing twice does nothing. */
  release(): void;
}

/**
 * Takes the lock in the file at `path` (made if it is missing). Fails at once with `state-locked` if another process, or
 * this one, holds it, and with `state-unusable` if the file cannot be used.
 */
export function acquireStateLock(path: string): StateLock {
  createStateFile(path);
  makePrivate(path);
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database?.close();
    if (!isBusy(cause)) throw toStateError(path, cause);
    throw new AppError(
      'state-locked',
      `Another Skein is running on this state folder (${path} is locked). Stop it first, or set SKEIN_HOME to another folder.`,
      { cause },
    );
  }
  const held = database;
  return { release: () => held.close() };
}
