/**
 * The one way to write: transactions that begin immediate, one after the other in this process, and that wait for other
 * processes without blocking the event loop. A transaction inside a transaction is refused, since it would wait for ever.
 *
 *   transact(fn) → wait for the lane → BEGIN IMMEDIATE (again while busy) → fn(executor) → COMMIT | ROLLBACK
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

export function createWriteLane(connection: Connection, clock: Clock): WriteLane {
  const scopes = new AsyncLocalStorage<Scope>();
  let tail: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function attempt<T>(fn: (executor: Executor) => Promise<T>): Promise<T> {
    connection.exec('BEGIN IMMEDIATE');
    const scope: Scope = { isOpen: true };
    try {
      const result = await scopes.run(scope, () => fn(scopedExecutor(connection, scope)));
      scope.isOpen = false;
      connection.exec('COMMIT');
      return result;
    } catch (thrown) {
      scope.isOpen = false;
      // Some failures (a full disk) have rolled back already.
      if (connection.isInTransaction) connection.exec('ROLLBACK');
      throw thrown;
    }
  }

  async function turn<T>(fn: (executor: Executor) => Promise<T>): Promise<T> {
    if (isClosed) throw closedError();
    return retryWhileBusy(clock, () => attempt(fn));
  }

  return {
    transact: (fn) => {
      if (scopes.getStore()?.isOpen) {
        return Promise.reject(
          new AppError(
            'store-failed',
            'A transaction was begun inside a transaction; use the handle it was given.',
          ),
        );
      }
      if (isClosed) return Promise.reject(closedError());
      const result = tail.then(() => turn(fn));
      tail = result.catch(() => undefined);
      return result;
    },
    close: async () => {
      isClosed = true;
      await tail;
    },
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
