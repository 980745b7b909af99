/** Reading outside of transactions: committed data only, on a connection of its own that cannot write. */
import type { Clock } from '../../src/ports/clock.ts';
import type { Connection, Executor } from './connection.ts';
import { retryWhileBusy } from './write-lane.ts';

export type ReadExecutor = Pick<Executor, 'all' | 'first'>;

export function createReadExecutor(connection: Connection, clock: Clock): ReadExecutor {
  return {
    all: (statement, args) => retryWhileBusy(clock, () => connection.all(statement, args)),
    first: (statement, args) => retryWhileBusy(clock, () => connection.all(statement, args)[0]),
  };
}
