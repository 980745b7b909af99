/**
 * Opens the database file: inspected, migrated, with one connection that writes and one that only reads.
 */
import Database from 'better-sqlite3';
import { AppError } from '../../src/errors.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import { BUSY_TIMEOUT_MS, createConnection, isBusy } from './connection.ts';
import { inspectDatabase } from './inspect.ts';
import { migrate, readMigrations } from './migrate.ts';
import { createReadExecutor, type ReadExecutor } from './read-executor.ts';
import { createStateFile, makePrivate, toStateError } from './state-file.ts';
import { createWriteLane, retryWhileBusy, type Transact } from './write-lane.ts';

export interface DatabaseSettings {
  /** The file; its folder is made if it is missing. */
  readonly path: string;
  /**
   * `normal`: a crash of the process loses nothing, one of the machine may lose the last transactions (the database stays
   * sound). `full`: a committed transaction survives both.
   */
  readonly synchronous: 'normal' | 'full';
  readonly clock: Clock;
  readonly log: Log;
}

export interface SqlDatabase {
  readonly read: ReadExecutor;
  readonly transact: Transact;
  /** Differs from its last value when another process has committed something since. */
  externalVersion(): number;
  /** Waits for the transaction that is running. Closing twice does nothing. */
  close(): Promise<void>;
}

/** Fails with `state-unusable` (what is wrong with the file or folder, and what to do) or `store-busy`. */
export async function openDatabase(settings: DatabaseSettings): Promise<SqlDatabase> {
  const { path, clock } = settings;
  const migrations = readMigrations();
  createStateFile(path);
  inspectDatabase(path, migrations.at(-1)?.number ?? 0);
  makePrivate(path);
  const writer = await retryWhileBusy(clock, () => openWriter(settings, migrations));
  const reader = openReader(path, writer);
  const writing = createConnection(writer);
  const reading = createConnection(reader);
  const lane = createWriteLane(writing, clock);
  let closing: Promise<void> | undefined;
  return {
    read: createReadExecutor(reading, clock),
    transact: lane.transact,
    externalVersion: writing.dataVersion,
    close: () => {
      closing ??= lane.close().then(() => {
        reading.close();
        writing.close();
      });
      return closing;
    },
  };
}

function openWriter(
  { path, synchronous, clock, log }: DatabaseSettings,
  migrations: ReturnType<typeof readMigrations>,
): Database.Database {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    database.pragma('journal_mode = WAL');
    database.pragma(`synchronous = ${synchronous}`);
    database.pragma('foreign_keys = ON');
    database.pragma('temp_store = MEMORY');
    const applied = migrate(database, migrations, clock.now());
    if (applied.length > 0) {
      // So that the version also stands in the file itself, where an older program looks first.
      database.pragma('wal_checkpoint(TRUNCATE)');
      log.info({ applied }, 'Database schema brought up to date');
    }
    return database;
  } catch (thrown) {
    database?.close();
    if (isBusy(thrown)) throw new AppError('store-busy', `${path} is busy.`, { cause: thrown });
    throw toStateError(path, thrown);
  }
}

function openReader(path: string, writer: Database.Database): Database.Database {
  try {
    return new Database(path, { readonly: true, timeout: BUSY_TIMEOUT_MS });
  } catch (thrown) {
    writer.close();
    throw toStateError(path, thrown);
  }
}
