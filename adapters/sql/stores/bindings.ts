/** Thread bindings: the rows behind ports/store/bindings.ts. A unique index keeps one live binding a place. */
import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import { parentAddress, placeKey } from '../../../src/core/address.ts';
import { bindingId } from '../../../src/core/ids.ts';
import type { Binding, BindingEnd } from '../../../src/core/thread-binding.ts';
import type { StoreReads, StoreTx } from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import { actorJson, addressJson } from '../json-columns.ts';
import { wordOf } from '../literals.ts';
import { json, named, present } from '../optional.ts';
import type { ReadExecutor } from '../read-executor.ts';
import type { BindingTable } from '../schema.ts';
import { patchStatement, statement, valuesOf } from '../statement.ts';
import { sessionKey } from './session-rows.ts';

const stateOf = wordOf<Binding['state']>({ active: true, dormant: true, ended: true });
const endOf = wordOf<BindingEnd>({
  unfocused: true,
  replaced: true,
  idle: true,
  'max-age': true,
  'thread-deleted': true,
  'thread-locked': true,
  'session-archived': true,
});

/** Written as the partial indexes have it; another wording would not use them. */
const isLive = sql<boolean>`state <> 'ended'`;

const selectBinding = statement<{ id: string }>()((db, arg) =>
  db.selectFrom('bindings').selectAll().where('id', '=', arg('id')),
);

const selectLive = statement<{ place: string }>()((db, arg) =>
  db.selectFrom('bindings').selectAll().where('place', '=', arg('place')).where(isLive),
);

const selectOfSession = statement<{ key: string }>()((db, arg) =>
  db.selectFrom('bindings').selectAll().where('session_key', '=', arg('key')).where(isLive).orderBy('seq'),
);

const selectOfConversation = statement<{ parent: string }>()((db, arg) =>
  db
    .selectFrom('bindings')
    .selectAll()
    .where('parent_place', '=', arg('parent'))
    .where('place', '<>', arg('parent'))
    .where(isLive)
    .orderBy('seq'),
);

/** Keys of an account's places lie together; see `placeKey`. */
const selectOfAccount = statement<{ from: string; to: string; limit: number }>()((db, arg) =>
  db
    .selectFrom('bindings')
    .selectAll()
    .where('place', '>', arg('from'))
    .where('place', '<', arg('to'))
    .where(isLive)
    .orderBy('last_activity_at', 'desc')
    .limit(arg('limit')),
);

const selectDue = statement<{ now: number; limit: number }>()((db, arg) =>
  db
    .selectFrom('bindings')
    .selectAll()
    .where(isLive)
    .where('expires_at', '<=', arg('now'))
    .orderBy('expires_at')
    .limit(arg('limit')),
);

const COLUMNS = [
  'id',
  'place',
  'parent_place',
  'address',
  'session_key',
  'label',
  'bound_by',
  'bound_at',
  'last_activity_at',
  'idle_ms',
  'max_age_ms',
  'state',
  'expires_at',
  'ended_at',
  'end_reason',
] as const;
type Row = Required<Pick<Insertable<BindingTable>, (typeof COLUMNS)[number]>>;

const insertBinding = statement<Row>()((db, arg) => db.insertInto('bindings').values(valuesOf(arg, COLUMNS)));

const updateBinding = patchStatement<{ bindingId: string }>()((db, arg, columns) =>
  db.updateTable('bindings').set(columns).where('id', '=', arg('bindingId')).where(isLive),
);

const endBinding = statement<{ id: string; reason: string; endedBy: string | null; now: number }>()(
  (db, arg) =>
    db
      .updateTable('bindings')
      .set({ state: 'ended', end_reason: arg('reason'), ended_by: arg('endedBy'), ended_at: arg('now') })
      .where('id', '=', arg('id'))
      .where(isLive),
);

export function createBindingReads(read: ReadExecutor): StoreReads['bindings'] {
  return {
    get: async (id) => {
      const row = await read.first(selectBinding, { id });
      return row && toBinding(row);
    },
    live: async (address) => {
      const row = await read.first(selectLive, { place: placeKey(address) });
      return row && toBinding(row);
    },
    ofSession: async (key) => (await read.all(selectOfSession, { key })).map(toBinding),
    ofConversation: async (conversation) => {
      const parent = placeKey(parentAddress(conversation));
      return (await read.all(selectOfConversation, { parent })).map(toBinding);
    },
    ofAccount: async (channel, account, limit) => {
      const from = `${JSON.stringify([channel, account]).slice(0, -1)},`;
      return (await read.all(selectOfAccount, { from, to: `${from}\uffff`, limit })).map(toBinding);
    },
    due: async (now, limit) => (await read.all(selectDue, { now, limit })).map(toBinding),
  };
}

export function createBindingWrites(executor: Executor): StoreTx['bindings'] {
  const reads = createBindingReads(executor);
  return {
    ...reads,
    insert: async (binding) => {
      await executor.run(insertBinding, fromBinding(binding));
    },
    update: async (id, patch) => {
      const columns = named({
        last_activity_at: patch.lastActivityAt,
        idle_ms: patch.idleMs,
        max_age_ms: patch.maxAgeMs,
        state: patch.state,
        expires_at: patch.expiresAt,
      });
      if (Object.keys(columns).length === 0) return isUnended(await reads.get(id));
      return (await executor.run(updateBinding(columns), { ...columns, bindingId: id })) === 1;
    },
    end: async (id, reason, endedBy, now) =>
      (await executor.run(endBinding, { id, reason, endedBy: json(endedBy) ?? null, now })) === 1,
  };
}

function isUnended(binding: Binding | undefined): boolean {
  return binding !== undefined && binding.state !== 'ended';
}

function toBinding(row: Selectable<BindingTable>): Binding {
  return {
    id: bindingId(row.id),
    address: addressJson.parse(row.address),
    sessionKey: sessionKey(row.session_key),
    label: row.label,
    boundBy: actorJson.parse(row.bound_by),
    boundAt: row.bound_at,
    lastActivityAt: row.last_activity_at,
    idleMs: row.idle_ms,
    maxAgeMs: row.max_age_ms,
    state: stateOf(row.state),
    ...present({
      expiresAt: row.expires_at,
      endedAt: row.ended_at,
      endReason: row.end_reason === null ? null : endOf(row.end_reason),
    }),
  };
}

function fromBinding(binding: Binding): Row {
  return {
    id: binding.id,
    place: placeKey(binding.address),
    parent_place: placeKey(parentAddress(binding.address)),
    address: JSON.stringify(binding.address),
    session_key: binding.sessionKey,
    label: binding.label,
    bound_by: JSON.stringify(binding.boundBy),
    bound_at: binding.boundAt,
    last_activity_at: binding.lastActivityAt,
    idle_ms: binding.idleMs,
    max_age_ms: binding.maxAgeMs,
    state: binding.state,
    expires_at: binding.expiresAt ?? null,
    ended_at: binding.endedAt ?? null,
    end_reason: binding.endReason ?? null,
  };
}
