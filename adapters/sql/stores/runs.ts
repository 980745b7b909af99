/** Runs: the rows behind ports/store/runs.ts. Every change of state is one compare-and-set. */
import type { RunId } from '../../../src/core/ids.ts';
import type { RunStatus } from '../../../src/core/run.ts';
import type { RunPatch, StoreReads, StoreTx } from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import type { ReadExecutor } from '../read-executor.ts';
import { jsonList } from '../statement.ts';
import { fromNewRun, fromRunPatch, toRun } from './run-rows.ts';
import * as statements from './run-statements.ts';
import { sessionKey } from './session-rows.ts';

/** Sorts behind every id that begins with the same prefix: ids are ASCII. */
const BEHIND_ALL = '\u{10ffff}';

export function createRunReads(read: ReadExecutor): StoreReads['runs'] {
  return {
    get: async (id) => {
      const row = await read.first(statements.selectRun, { id });
      return row && toRun(row);
    },
    withPrefix: async (prefix, limit) => {
      const range = { from: prefix, before: prefix + BEHIND_ALL, limit };
      return (await read.all(statements.selectRunsBetween, range)).map(toRun);
    },
    active: async (key) => (await read.all(statements.selectActive, { key })).map(toRun),
    ofSession: async (key, limit) => (await read.all(statements.selectOfSession, { key, limit })).map(toRun),
    allActive: async (limit) => (await read.all(statements.selectAllActive, { limit })).map(toRun),
    claimable: async (lane, now, limit) =>
      (await read.all(statements.selectClaimable, { lane, now, limit })).map((row) =>
        sessionKey(row.session_key),
      ),
    leaseExpired: async (now, limit) =>
      (await read.all(statements.selectLeaseExpired, { now, limit })).map(toRun),
    owners: async () => (await read.all(statements.selectOwners, {})).flatMap(({ owner }) => owner ?? []),
    counts: async () => {
      const rows = await read.all(statements.countActive, {});
      const count = (status: RunStatus) => rows.find((row) => row.status === status)?.count ?? 0;
      return { queued: count('queued'), running: count('running'), waiting: count('waiting') };
    },
  };
}

export function createRunWrites(executor: Executor): StoreTx['runs'] {
  const change = async (
    id: RunId,
    expected: { readonly from: readonly RunStatus[]; readonly fence?: number },
    columns: ReturnType<typeof fromRunPatch>,
  ) => {
    const changes = await executor.run(statements.updateRun(columns), {
      ...columns,
      runId: id,
      from: jsonList(expected.from),
      expectedFence: expected.fence ?? null,
    });
    return changes === 1;
  };
  return {
    ...createRunReads(executor),
    insert: async (run, now) => toRun((await executor.first(statements.insertRun, fromNewRun(run, now)))!),
    claim: async ({ sessionKey: key, ...claim }) => {
      const row = await executor.first(statements.claimRun, { key, ...claim });
      return row && toRun(row);
    },
    update: async (id, expected, patch) => {
      // A patch of nothing still answers whether the run is as expected.
      const columns = fromRunPatch(patch);
      if (Object.keys(columns).length > 0) return change(id, expected, columns);
      const run = await executor.first(statements.selectRun, { id });
      return matches(run, expected);
    },
    end: async (id, expected, end) => change(id, expected, fromRunPatch(endingPatch(end))),
    renewLease: async (id, fence, leaseExpiresAt) =>
      (await executor.run(statements.renewLease, { id, fence, leaseExpiresAt })) === 1,
    remove: async (id) => {
      for (const removal of statements.removals) await executor.run(removal, { id });
    },
  };
}

function matches(
  run: { readonly status: string; readonly fence: number } | undefined,
  { from, fence }: { readonly from: readonly string[]; readonly fence?: number },
): boolean {
  return run !== undefined && from.includes(run.status) && (fence === undefined || fence === run.fence);
}

function endingPatch({ status, outcome, endedAt, usage }: Parameters<StoreTx['runs']['end']>[2]): RunPatch {
  return { status, outcome, endedAt, waitingOn: null, notBefore: null, ...(usage && { usage }) };
}
