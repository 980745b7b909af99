/**
 * The one way to write: transactions that begin immediate, one after the other in this process, and that wait for other
 * processes without blocking the event loop. A transaction inside a transaction is refused, since it would wait for ever.
 *
 *   transact(fn) → wait for the lane → BEGIN IMMEDIATE (again while busy) → fn(executor) → COMMIT | ROLLBACK
 *
 * When there are many, those that come in one turn of the event loop are committed together, each behind a savepoint of its
 * own: a commit writes every page it touched, and most pages are the same ones. None is answered before the common
 * commit. Whatever befalls the commit as a whole, each is carried out again by itself.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../../src/errors.ts';
import { type Clock, sleep } from '../../src/ports/clock.ts';
import type { Connection, Executor } from './connection.ts';

export type Transact = <T>(fn: (executor: Executor) => Promise<T>) => Promise<T>;

export interface WriteLane {
  readonly transact: Transact;
  /** Resolves when the transaction that is running now has ended; later ones are refused. */
  close(): Promise<void>;
}

/** A process that keeps the lock for longer than this has hung; the caller is told, and may try again. */
const GIVE_UP_AFTER_MS = 15_000;
const RETRY_MS = [1, 2, 5, 10, 20, 30, 50] as const;

/** Whether the code that runs now was called from a transaction that is still open. */
interface Scope {
  isOpen: boolean;
}

/** At most this many are committed together, so that the lock is given to other processes in between. */
const MAX_TOGETHER = 16;

interface Job {
  run(executor: Executor): Promise<unknown>;
  resolve(result: unknown): void;
  reject(thrown: unknown): void;
}

type Outcome =
  | { readonly job: Job; readonly isDone: true; readonly result: unknown }
  | { readonly job: Job; readonly isDone: false; readonly thrown: unknown };

export function createWriteLane(connection: Connection, clock: Clock): WriteLane {
  const scopes = new AsyncLocalStorage<Scope>();
  const waiting: Job[] = [];
  const pace = createPace();
  let working: Promise<void> | undefined;
  let isClosed = false;

  /** Calls the job's function with an executor that ends with it. */
  async function call(job: Job): Promise<unknown> {
    const scope: Scope = { isOpen: true };
    try {
      return await scopes.run(scope, () => job.run(scopedExecutor(connection, scope)));
    } finally {
      scope.isOpen = false;
    }
  }

  /** Resolves when all that `fn` did is committed. */
  async function committed<T>(fn: () => Promise<T>): Promise<T> {
    connection.exec('BEGIN IMMEDIATE');
    try {
      const result = await fn();
      connection.exec('COMMIT');
      return result;
    } catch (thrown) {
      // Some failures (a full disk) have rolled back already.
      if (connection.isInTransaction) connection.exec('ROLLBACK');
      throw thrown;
    }
  }

  /** One of several in a transaction: only its own changes are undone when it fails. Rejects when all of them are. */
  async function behindSavepoint(job: Job): Promise<Outcome> {
    connection.exec('SAVEPOINT one');
    try {
      const result = await call(job);
      connection.exec('RELEASE one');
      return { job, isDone: true, result };
    } catch (thrown) {
      connection.exec('ROLLBACK TO one');
      connection.exec('RELEASE one');
      return { job, isDone: false, thrown };
    }
  }

  async function alone(job: Job): Promise<void> {
    try {
      job.resolve(await retryWhileBusy(clock, () => committed(() => call(job))));
    } catch (thrown) {
      job.reject(thrown);
    }
  }

  async function together(jobs: readonly Job[]): Promise<void> {
    let outcomes: readonly Outcome[];
    try {
      outcomes = await retryWhileBusy(clock, () =>
        committed(async () => {
          const ended: Outcome[] = [];
          for (const job of jobs) ended.push(await behindSavepoint(job));
          return ended;
        }),
      );
    } catch {
      for (const job of jobs) await alone(job);
      return;
    }
    for (const outcome of outcomes) {
      if (outcome.isDone) outcome.job.resolve(outcome.result);
      else outcome.job.reject(outcome.thrown);
    }
  }

  async function work(): Promise<void> {
    for (; waiting.length > 0; await pace.pause()) {
      const jobs = waiting.splice(0, MAX_TOGETHER);
      if (isClosed) for (const job of jobs) job.reject(closedError());
      else if (jobs.length === 1) await alone(jobs[0]!);
      else await together(jobs);
    }
    working = undefined;
  }

  return {
    transact: <T>(fn: (executor: Executor) => Promise<T>) => {
      if (scopes.getStore()?.isOpen) {
        return Promise.reject(
          new AppError(
            'store-failed',
            'A transaction was begun inside a transaction; use the handle it was given.',
          ),
        );
      }
      if (isClosed) return Promise.reject(closedError());
      return new Promise<T>((resolve, reject) => {
        waiting.push({ run: fn, resolve: (result) => resolve(result as T), reject });
        pace.count();
        working ??= pace.pause().then(work);
      });
    },
    close: async () => {
      isClosed = true;
      await working;
    },
  };
}

/** From so many in one turn of the event loop on, they are gathered; a single message with all that follows makes fewer. */
const MANY = 8;
/** Gathered, everything takes one step a turn, so that fewer than these are not worth waiting for. */
const FEW = 3;

/** Whether the lane waits until everything that has arrived was looked at, or begins at once. */
function createPace() {
  let inThisTurn = 0;
  let isGathering = false;
  const turnEnds = () => {
    isGathering = inThisTurn >= (isGathering ? FEW : MANY);
    inThisTurn = 0;
  };
  return {
    /** A transaction is asked for. */
    count() {
      if (inThisTurn === 0) setImmediate(turnEnds);
      inThisTurn++;
    },
    pause: () => (isGathering ? new Promise<void>((resolve) => setImmediate(resolve)) : Promise.resolve()),
  };
}

function closedError(): AppError {
  return new AppError('store-failed', 'The database is closed.');
}

/** Calls again, with a pause that leaves the event loop free, while the failure is `store-busy`. */
export async function retryWhileBusy<T>(clock: Clock, call: () => T | Promise<T>): Promise<T> {
  const giveUpAt = clock.now() + GIVE_UP_AFTER_MS;
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (thrown) {
      const isOver = clock.now() >= giveUpAt;
      if (isOver || !(thrown instanceof AppError) || thrown.code !== 'store-busy') throw thrown;
      await sleep(clock, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]!);
    }
  }
}

/** An executor that works only while its transaction is open, so that a forgotten `await` cannot write into the next one. */
function scopedExecutor(connection: Connection, scope: Scope): Executor {
  const check = () => {
    if (!scope.isOpen) {
      throw new AppError('store-failed', 'The transaction has ended; its handle cannot be used any more.');
    }
  };
  return {
    all: async (statement, args) => {
      check();
      return connection.all(statement, args);
    },
    first: async (statement, args) => {
      check();
      return connection.all(statement, args)[0];
    },
    run: async (statement, args) => {
      check();
      return connection.run(statement, args);
    },
  };
}
