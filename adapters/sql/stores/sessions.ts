/** Sessions: the rows behind ports/store/sessions.ts. */
import { NO_USAGE } from '../../../src/core/run.ts';
import { AppError } from '../../../src/errors.ts';
import type { StoreReads, StoreTx } from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import type { ReadExecutor } from '../read-executor.ts';
import { fromNewSession, fromSessionPatch, toSession } from './session-rows.ts';
import * as statements from './session-statements.ts';

export function createSessionReads(read: ReadExecutor): StoreReads['sessions'] {
  return {
    get: async (key) => {
      const row = await read.first(statements.selectSession, { key });
      return row && toSession(row);
    },
    getById: async (id) => {
      const row = await read.first(statements.selectSessionById, { id });
      return row && toSession(row);
    },
    children: async (key) => (await read.all(statements.selectChildren, { key })).map(toSession),
    descendants: async (key) => (await read.all(statements.selectDescendants, { key })).map(toSession),
    withLabel: async (label) => (await read.all(statements.selectLabelled, { label })).map(toSession),
    recent: async (limit) => (await read.all(statements.selectRecent, { limit })).map(toSession),
    dueForArchive: async (now, limit) =>
      (await read.all(statements.selectDueForArchive, { now, limit })).map(toSession),
  };
}

export function createSessionWrites(executor: Executor): StoreTx['sessions'] {
  const reads = createSessionReads(executor);
  return {
    ...reads,
    ensure: async (session) => {
      const known = await reads.get(session.key);
      if (known) return known;
      return toSession((await executor.first(statements.insertSession, fromNewSession(session)))!);
    },
    update: async (key, patch, now) => {
      const columns = fromSessionPatch(patch);
      const added = patch.addUsage ?? NO_USAGE;
      await executor.run(statements.updateSession(columns), {
        ...columns,
        sessionKey: key,
        now,
        addInput: added.inputTokens,
        addOutput: added.outputTokens,
        addCached: added.cachedTokens,
      });
    },
    nextOrdinal: async (key) => {
      const row = await executor.first(statements.takeOrdinal, { key });
      if (!row) throw new AppError('store-failed', `There is no session ${key} to number a child of.`);
      return row.last_child_ordinal;
    },
    remove: async (key) => {
      for (const removal of statements.removals) await executor.run(removal, { key });
    },
  };
}
