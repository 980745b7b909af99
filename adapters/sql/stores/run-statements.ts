/**
 * The statements of the runs store. Conditions on the status are written out as the partial indexes have them, since SQLite
 * uses such an index only for the same words.
 */
import { type Selectable, sql } from 'kysely';
import type { RunTable } from '../schema.ts';
import { listed, patchStatement, statement, valuesOf } from '../statement.ts';
import { NEW_RUN_COLUMNS, type NewRunRow } from './run-rows.ts';

const isActive = sql<boolean>`status in ('queued', 'running', 'waiting')`;
const isRunning = sql<boolean>`status = 'running'`;

export const selectRun = statement<{ id: string }>()((db, arg) =>
  db.selectFrom('runs').selectAll().where('id', '=', arg('id')),
);

export const selectRunsBetween = statement<{ from: string; before: string; limit: number }>()((db, arg) =>
  db
    .selectFrom('runs')
    .selectAll()
    .where('id', '>=', arg('from'))
    .where('id', '<', arg('before'))
    .orderBy('id')
    .limit(arg('limit')),
);

export const selectActive = statement<{ key: string }>()((db, arg) =>
  db.selectFrom('runs').selectAll().where('session_key', '=', arg('key')).where(isActive).orderBy('seq'),
);

export const selectOfSession = statement<{ key: string; limit: number }>()((db, arg) =>
  db
    .selectFrom('runs')
    .selectAll()
    .where('session_key', '=', arg('key'))
    .orderBy('seq', 'desc')
    .limit(arg('limit')),
);

export const selectAllActive = statement<{ limit: number }>()((db, arg) =>
  db.selectFrom('runs').selectAll().where(isActive).orderBy('seq').limit(arg('limit')),
);

export const selectClaimable = statement<{ lane: string; now: number; limit: number }>()(
  (_db, arg) => sql<Pick<Selectable<RunTable>, 'session_key'>>`
    select session_key from runs as candidate
    where status = 'queued' and lane = ${arg('lane')}
      and (not_before is null or not_before <= ${arg('now')})
      and not exists (
        select 1 from runs as older
        where older.session_key = candidate.session_key and older.status in ('queued', 'running', 'waiting')
          and older.seq < candidate.seq
      )
      and not exists (
        select 1 from runs as busy
        where busy.session_key = candidate.session_key and busy.status = 'running'
      )
    order by seq limit ${arg('limit')}`,
);

export const selectLeaseExpired = statement<{ now: number; limit: number }>()((db, arg) =>
  db
    .selectFrom('runs')
    .selectAll()
    .where(isRunning)
    .where('lease_expires_at', '<=', arg('now'))
    .orderBy('lease_expires_at')
    .limit(arg('limit')),
);

export const selectOwners = statement()((db) =>
  db.selectFrom('runs').select('owner').distinct().where(isRunning).where('owner', 'is not', null),
);

export const countActive = statement()((db) =>
  db
    .selectFrom('runs')
    .select((count) => ['status', count.fn.countAll<number>().as('count')])
    .where(isActive)
    .groupBy('status'),
);

export const insertRun = statement<NewRunRow>()((db, arg) =>
  db.insertInto('runs').values(valuesOf(arg, NEW_RUN_COLUMNS)).returningAll(),
);

// The oldest active run of the session is the only candidate: a younger one never overtakes it.
export const claimRun = statement<{
  key: string;
  lane: string;
  cap: number;
  owner: string;
  leaseMs: number;
  now: number;
}>()(
  (_db, arg) => sql<Selectable<RunTable>>`
    update runs set
      status = 'running', owner = ${arg('owner')}, lease_expires_at = ${arg('now')} + ${arg('leaseMs')},
      started_at = coalesce(started_at, ${arg('now')}), deadline_at = ${arg('now')} + remaining_ms,
      remaining_ms = null, not_before = null, fence = fence + 1, attempt = attempt + 1
    where seq = (
        select seq from runs
        where session_key = ${arg('key')} and status in ('queued', 'running', 'waiting') order by seq limit 1
      )
      and status = 'queued' and lane = ${arg('lane')} and (not_before is null or not_before <= ${arg('now')})
      and not exists (select 1 from runs as other where other.session_key = ${arg('key')} and other.status = 'running')
      and ${arg('cap')} > (
        select count(*) from runs as other
        where other.status = 'running' and other.lane = ${arg('lane')}
      )
    returning *`,
);

interface Expected extends Record<string, string | number | null> {
  runId: string;
  from: string;
  /** NULL: any. */
  expectedFence: number | null;
}

export const updateRun = patchStatement<Expected>()((db, arg, columns) =>
  db
    .updateTable('runs')
    .set(columns)
    .where('id', '=', arg('runId'))
    .where('status', 'in', listed(arg('from')))
    .where((where) => where('fence', '=', where.fn.coalesce(where.val(arg('expectedFence')), 'fence'))),
);

export const renewLease = statement<{ id: string; fence: number; leaseExpiresAt: number }>()((db, arg) =>
  db
    .updateTable('runs')
    .set({ lease_expires_at: arg('leaseExpiresAt') })
    .where('id', '=', arg('id'))
    .where('fence', '=', arg('fence'))
    .where(isRunning),
);

export const removals = [
  statement<{ id: string }>()((db, arg) => db.deleteFrom('tool_calls').where('run_id', '=', arg('id'))),
  statement<{ id: string }>()((db, arg) => db.deleteFrom('inputs').where('run_id', '=', arg('id'))),
  statement<{ id: string }>()((db, arg) => db.deleteFrom('runs').where('id', '=', arg('id'))),
] as const;
