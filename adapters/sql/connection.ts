/**
 * One SQLite connection that runs compiled statements. Prepared statements are kept by their text, since preparing costs
 * many times what running does. Every failure leaves here as an AppError: `store-busy` when another connection holds the
 * lock, `store-full` when the disk is full, else `store-failed`.
 */
import Database from 'better-sqlite3';
import { AppError, asError } from '../../src/errors.ts';
import type { SqlArgs, Statement } from './statement.ts';

/** What a store runs its statements on. */
export interface Executor {
  all<Args extends SqlArgs, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]>;
  first<Args extends SqlArgs, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row | undefined>;
  /** How many rows were changed. */
  run<Args extends SqlArgs>(statement: Statement<Args, unknown>, args: Args): Promise<number>;
}

/** Synchronous: the lock waits of a connection are made by whoever owns it, never inside of it. */
export interface Connection {
  all<Args extends SqlArgs, Row>(statement: Statement<Args, Row>, args: Args): Row[];
  run<Args extends SqlArgs>(statement: Statement<Args, unknown>, args: Args): number;
  /** A statement without arguments or result, such as BEGIN. */
  exec(sql: string): void;
  readonly isInTransaction: boolean;
  /** Changes when another connection has committed; see https://www.sqlite.org/pragma.html#pragma_data_version. */
  dataVersion(): number;
  close(): void;
}

/** More than the statements there are; a bound, so that a text that varies by mistake cannot eat the memory. */
const MAX_PREPARED = 400;

/**
 * How long SQLite itself may wait for a lock. It sleeps on the event loop's thread, so this stays far below what a person
 * or a timer would notice; longer waits are made by trying again.
 */
export const BUSY_TIMEOUT_MS = 3;

export function createConnection(database: Database.Database): Connection {
  const prepared = new Map<string, Database.Statement>();
  const prepare = (sql: string): Database.Statement => {
    const known = prepared.get(sql);
    if (known) return known;
    if (prepared.size >= MAX_PREPARED) prepared.delete(prepared.keys().next().value!);
    const made = database.prepare(sql);
    prepared.set(sql, made);
    return made;
  };
  return {
    all: <Args extends SqlArgs, Row>(statement: Statement<Args, Row>, args: Args) =>
      translated(() => prepare(statement.sql).all(...statement.bind(args)) as Row[]),
    run: (statement, args) => translated(() => prepare(statement.sql).run(...statement.bind(args)).changes),
    exec: (sql) => {
      translated(() => prepare(sql).run());
    },
    get isInTransaction() {
      return database.inTransaction;
    },
    dataVersion: () => database.pragma('data_version', { simple: true }) as number,
    close: () => {
      prepared.clear();
      database.close();
    },
  };
}

function translated<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    throw toAppError(thrown);
  }
}

/** The second one is about the file that the connections of all processes share. */
const DISK_FULL: ReadonlySet<string> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']);

export function isBusy(thrown: unknown): boolean {
  return thrown instanceof Database.SqliteError && /^SQLITE_(BUSY|LOCKED)/.test(thrown.code);
}

function toAppError(thrown: unknown): AppError {
  if (isBusy(thrown)) {
    return new AppError('store-busy', 'The database is busy: another process is writing.', { cause: thrown });
  }
  if (thrown instanceof Database.SqliteError && DISK_FULL.has(thrown.code)) {
    return new AppError('store-full', 'The disk is full: there is no space left for the database.', {
      cause: thrown,
    });
  }
  return new AppError('store-failed', `The database refused: ${asError(thrown).message}`, { cause: thrown });
}
