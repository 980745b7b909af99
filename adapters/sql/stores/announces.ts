/** Announces: the rows behind ports/store/announces.ts. */
import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import { operationId, runId } from '../../../src/core/ids.ts';
import type { EndedStatus } from '../../../src/core/run.ts';
import type {
  Announce,
  AnnounceStatus,
  NewAnnounce,
  StoreReads,
  StoreTx,
} from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import { originJson } from '../json-columns.ts';
import { wordOf } from '../literals.ts';
import { present } from '../optional.ts';
import type { ReadExecutor } from '../read-executor.ts';
import type { AnnounceTable } from '../schema.ts';
import { jsonList, listed, statement, valuesOf } from '../statement.ts';
import { sessionKey } from './session-rows.ts';

const statusOf = wordOf<AnnounceStatus>({
  handed: true,
  delivering: true,
  delivered: true,
  suppressed: true,
  undelivered: true,
});
const outcomeOf = wordOf<EndedStatus>({
  succeeded: true,
  failed: true,
  timed_out: true,
  cancelled: true,
  interrupted: true,
});
const FINAL: readonly AnnounceStatus[] = ['delivered', 'suppressed', 'undelivered'];

const selectAnnounce = statement<{ run: string }>()((db, arg) =>
  db.selectFrom('announces').selectAll().where('run_id', '=', arg('run')),
);

const COLUMNS = [
  'run_id',
  'child_key',
  'requester_key',
  'origin',
  'outcome',
  'status',
  'operation',
  'reason',
  'created_at',
  'ended_at',
] as const;
type Row = Required<Insertable<AnnounceTable>>;

const insertAnnounce = statement<Row>()((db, arg) =>
  db
    .insertInto('announces')
    .values(valuesOf(arg, COLUMNS))
    .onConflict((conflict) => conflict.column('run_id').doNothing()),
);

const moveAnnounce = statement<{
  run: string;
  from: string;
  status: string;
  operation: string | null;
  reason: string | null;
  endedAt: number | null;
}>()((db, arg) =>
  db
    .updateTable('announces')
    .set({
      status: arg('status'),
      operation: sql`coalesce(${arg('operation')}, operation)`,
      reason: sql`coalesce(${arg('reason')}, reason)`,
      ended_at: arg('endedAt'),
    })
    .where('run_id', '=', arg('run'))
    .where('status', 'in', listed(arg('from'))),
);

export function createAnnounceReads(read: ReadExecutor): StoreReads['announces'] {
  return {
    get: async (run) => {
      const row = await read.first(selectAnnounce, { run });
      return row && toAnnounce(row);
    },
  };
}

export function createAnnounceWrites(executor: Executor): StoreTx['announces'] {
  return {
    ...createAnnounceReads(executor),
    insert: async (announce, now) =>
      (await executor.run(insertAnnounce, fromNewAnnounce(announce, now))) === 1,
    move: async (run, from, { status, operation = null, reason = null }, now) => {
      const endedAt = endOf(status, now);
      const changes = await executor.run(moveAnnounce, {
        run,
        from: jsonList(from),
        status,
        operation,
        reason,
        endedAt,
      });
      return changes === 1;
    },
  };
}

function endOf(status: AnnounceStatus, now: number): number | null {
  return FINAL.includes(status) ? now : null;
}

function toAnnounce(row: Selectable<AnnounceTable>): Announce {
  return {
    runId: runId(row.run_id),
    childKey: sessionKey(row.child_key),
    requesterKey: sessionKey(row.requester_key),
    origin: originJson.parse(row.origin),
    outcome: outcomeOf(row.outcome),
    status: statusOf(row.status),
    createdAt: row.created_at,
    ...present({
      operation: row.operation === null ? null : operationId(row.operation),
      reason: row.reason,
      endedAt: row.ended_at,
    }),
  };
}

function fromNewAnnounce(announce: NewAnnounce, now: number): Row {
  return {
    run_id: announce.runId,
    child_key: announce.childKey,
    requester_key: announce.requesterKey,
    origin: JSON.stringify(announce.origin),
    outcome: announce.outcome,
    status: announce.status,
    operation: announce.operation ?? null,
    reason: announce.reason ?? null,
    created_at: now,
    ended_at: endOf(announce.status, now),
  };
}
