/** The outbox: the rows behind ports/store/operations.ts. */
import { type Selectable, sql } from 'kysely';
import type { OperationId } from '../../../src/core/ids.ts';
import type { StoreReads, StoreTx } from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import type { ReadExecutor } from '../read-executor.ts';
import type { OperationTable } from '../schema.ts';
import { jsonList, listed, type Placeholders, type SqlArgs, statement, valuesOf } from '../statement.ts';
import {
  fromNewOperation,
  NEW_OPERATION_COLUMNS,
  type NewOperationRow,
  toOperation,
} from './operation-rows.ts';

/** Written as the partial index has it. */
const isClaimed = sql<boolean>`status = 'claimed'`;

const selectOperation = statement<{ id: string }>()((db, arg) =>
  db.selectFrom('operations').selectAll().where('id', '=', arg('id')),
);

const selectFailed = statement<{ limit: number }>()((db, arg) =>
  db
    .selectFrom('operations')
    .selectAll()
    .where(sql<boolean>`status = 'failed'`)
    .orderBy('ended_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(arg('limit')),
);

interface Account extends SqlArgs {
  channel: string;
  account: string;
  now: number;
  limit: number;
}

/**
 * Operations that may begin: the oldest unfinished one of its place, due, and with the operation that it needs ended (a
 * failed or unknown one included, since then it has to be failed too).
 */
const due = (arg: Placeholders<Account>) => sql<{ seq: number }>`
  select seq from operations as candidate
  where status = 'queued' and channel = ${arg('channel')} and account = ${arg('account')}
    and (not_before is null or not_before <= ${arg('now')})
    and not exists (
      select 1 from operations as older
      where older.place = candidate.place and older.status in ('queued', 'claimed') and older.seq < candidate.seq
    )
    and not exists (
      select 1 from operations as needed
      where needed.id = candidate.depends_on and needed.status in ('queued', 'claimed')
    )
  order by seq limit ${arg('limit')}`;

const selectDue = statement<Account>()((_db, arg) => due(arg));

const claimDue = statement<Account & { owner: string }>()(
  (_db, arg) => sql<Selectable<OperationTable>>`
    update operations set
      status = 'claimed', owner = ${arg('owner')}, attempt = attempt + 1, fence = fence + 1, not_before = null
    where seq in (${due(arg)})
    returning *`,
);

const countStatuses = statement()(
  () => sql<{ queued: number; failed: number }>`
    select (select count(*) from operations where status = 'queued') as queued,
      (select count(*) from operations where status = 'failed') as failed`,
);

const insertOperation = statement<NewOperationRow>()((db, arg) =>
  db
    .insertInto('operations')
    .values(valuesOf(arg, NEW_OPERATION_COLUMNS))
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

const settleOperation = statement<{
  id: string;
  fence: number;
  status: string;
  receipt: string | null;
  error: string | null;
  notBefore: number | null;
  endedAt: number | null;
}>()((db, arg) =>
  db
    .updateTable('operations')
    .set({
      status: arg('status'),
      owner: null,
      receipt: arg('receipt'),
      error: arg('error'),
      not_before: arg('notBefore'),
      ended_at: arg('endedAt'),
    })
    .where('id', '=', arg('id'))
    .where('fence', '=', arg('fence'))
    .where(isClaimed),
);

const releaseClaimed = statement<{ owners: string }>()((db, arg) =>
  db
    .updateTable('operations')
    .set({ status: 'queued', owner: null })
    .where(isClaimed)
    .where('owner', 'in', listed(arg('owners'))),
);

const selectOwners = statement()((db) =>
  db.selectFrom('operations').select('owner').distinct().where(isClaimed).where('owner', 'is not', null),
);

export function createOperationReads(read: ReadExecutor): StoreReads['operations'] {
  return {
    get: async (id) => {
      const row = await read.first(selectOperation, { id });
      return row && toOperation(row);
    },
    failed: async (limit) => (await read.all(selectFailed, { limit })).map(toOperation),
    hasDue: async (channel, account, now) =>
      (await read.first(selectDue, { channel, account, now, limit: 1 })) !== undefined,
    counts: async () => (await read.first(countStatuses, {})) ?? { queued: 0, failed: 0 },
    owners: async () => (await read.all(selectOwners, {})).flatMap(({ owner }) => owner ?? []),
  };
}

export function createOperationWrites(executor: Executor): StoreTx['operations'] {
  const settle = async (
    id: OperationId,
    fence: number,
    change: { status: string; receipt?: object; error?: object; notBefore?: number; endedAt?: number },
  ) => {
    const { status, receipt, error, notBefore = null, endedAt = null } = change;
    const changes = await executor.run(settleOperation, {
      id,
      fence,
      status,
      receipt: receipt ? JSON.stringify(receipt) : null,
      error: error ? JSON.stringify(error) : null,
      notBefore,
      endedAt,
    });
    return changes === 1;
  };
  return {
    ...createOperationReads(executor),
    insert: async (operations, now) => {
      for (const operation of operations) {
        await executor.run(insertOperation, fromNewOperation(operation, now));
      }
    },
    claim: async (claim) => {
      const rows = await executor.all(claimDue, claim);
      return rows.sort((a, b) => a.seq - b.seq).map(toOperation);
    },
    finish: (id, fence, receipt, now) => settle(id, fence, { status: 'done', receipt, endedAt: now }),
    fail: (id, fence, error, now) => settle(id, fence, { status: 'failed', error, endedAt: now }),
    retry: (id, fence, error, notBefore) => settle(id, fence, { status: 'queued', error, notBefore }),
    release: (deadOwners) => executor.run(releaseClaimed, { owners: jsonList(deadOwners) }),
  };
}
