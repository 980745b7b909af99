/** What was dealt with last in each place, and what waits for a word there: the rows behind ports/store/cursors.ts. */
import { sql } from 'kysely';
import { type Address, placeKey } from '../../../src/core/address.ts';
import type { StoreReads, StoreTx } from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import { addressJson, heldMessageJson } from '../json-columns.ts';
import type { ReadExecutor } from '../read-executor.ts';
import { statement, valuesOf } from '../statement.ts';

const selectCursor = statement<{ channel: string; account: string; place: string }>()((db, arg) =>
  db
    .selectFrom('cursors')
    .select(['address', 'event_id'])
    .where('channel', '=', arg('channel'))
    .where('account', '=', arg('account'))
    .where('place', '=', arg('place')),
);

const selectActive = statement<{ channel: string; account: string; since: number; limit: number }>()(
  (db, arg) =>
    db
      .selectFrom('cursors')
      .select(['address', 'event_id'])
      .where('channel', '=', arg('channel'))
      .where('account', '=', arg('account'))
      .where('at', '>=', arg('since'))
      .orderBy('at', 'desc')
      .limit(arg('limit')),
);

const selectMissed = statement<{ place: string }>()((db, arg) =>
  db
    .selectFrom('missed_messages')
    .select(['seq', 'message'])
    .where('place', '=', arg('place'))
    .orderBy('seq'),
);

const COLUMNS = ['channel', 'account', 'place', 'address', 'event_id', 'at'] as const;
type Row = { [K in Exclude<(typeof COLUMNS)[number], 'at'>]: string } & { at: number };

/** The later of two ids that grow. */
const laterId = sql<string>`case
  when length(excluded.event_id) > length(cursors.event_id)
    or (length(excluded.event_id) = length(cursors.event_id) and excluded.event_id > cursors.event_id)
  then excluded.event_id else cursors.event_id end`;

const activate = statement<Row>()((db, arg) =>
  db
    .insertInto('cursors')
    .values(valuesOf(arg, COLUMNS))
    .onConflict((conflict) =>
      conflict
        .columns(['channel', 'account', 'place'])
        .doUpdateSet({ event_id: laterId, at: (excluded) => excluded.ref('excluded.at') }),
    ),
);

const moveOn = statement<{ channel: string; account: string; place: string; eventId: string }>()((db, arg) =>
  db
    .updateTable('cursors')
    .set({ event_id: arg('eventId') })
    .where('channel', '=', arg('channel'))
    .where('account', '=', arg('account'))
    .where('place', '=', arg('place'))
    .where(
      sql<boolean>`(length(event_id) < length(${arg('eventId')})
        or (length(event_id) = length(${arg('eventId')}) and event_id < ${arg('eventId')}))`,
    ),
);

const insertMissed = statement<{ place: string; eventId: string; message: string; now: number }>()(
  (db, arg) =>
    db
      .insertInto('missed_messages')
      .values({ place: arg('place'), event_id: arg('eventId'), message: arg('message'), at: arg('now') })
      .onConflict((conflict) => conflict.columns(['place', 'event_id']).doNothing()),
);

const deleteMissed = statement<{ place: string; upToSeq: number }>()((db, arg) =>
  db.deleteFrom('missed_messages').where('place', '=', arg('place')).where('seq', '<=', arg('upToSeq')),
);

/** The newest one of each place stands for all of them. */
const selectUndecided = statement<{ before: number; limit: number }>()(
  (_db, arg) => sql<{ message: string }>`
    select message from missed_messages as newest
    where at < ${arg('before')} and not exists (
      select 1 from missed_messages as later where later.place = newest.place and later.seq > newest.seq
    )
    limit ${arg('limit')}`,
);

/** Keys of places, from and to. */
interface Range extends Readonly<Record<string, string>> {
  readonly from: string;
  readonly to: string;
}

const deleteCursors = statement<{ channel: string; account: string } & Range>()((db, arg) =>
  db
    .deleteFrom('cursors')
    .where('channel', '=', arg('channel'))
    .where('account', '=', arg('account'))
    .where('place', '>=', arg('from'))
    .where('place', '<=', arg('to')),
);

const deleteAllMissed = statement<Range>()((db, arg) =>
  db.deleteFrom('missed_messages').where('place', '>=', arg('from')).where('place', '<=', arg('to')),
);

const forgetCursors = statement<{ before: number; limit: number }>()(
  (_db, arg) => sql`
    delete from cursors where rowid in (
      select rowid from cursors where at < ${arg('before')} limit ${arg('limit')}
    )`,
);

/** Of the place, or of the conversation and all its threads. */
function rangeOf(address: Address): Range {
  const { channel, account, conversation, thread } = address;
  if (thread !== undefined) return { from: placeKey(address), to: placeKey(address) };
  const from = `${JSON.stringify([channel, account, conversation]).slice(0, -1)},`;
  return { from, to: `${from}\uffff` };
}

const toCursor = (row: { address: string; event_id: string }) => ({
  address: addressJson.parse(row.address),
  eventId: row.event_id,
});

export function createCursorReads(read: ReadExecutor): StoreReads['cursors'] {
  return {
    get: async (address) => {
      const { channel, account } = address;
      const row = await read.first(selectCursor, { channel, account, place: placeKey(address) });
      return row && toCursor(row);
    },
    active: async (channel, account, since, limit) =>
      (await read.all(selectActive, { channel, account, since, limit })).map(toCursor),
    missed: async (address) =>
      (await read.all(selectMissed, { place: placeKey(address) })).map(({ seq, message }) => ({
        seq,
        message: heldMessageJson.parse(message),
      })),
    undecided: async (before, limit) =>
      (await read.all(selectUndecided, { before, limit })).map(
        ({ message }) => heldMessageJson.parse(message).address,
      ),
  };
}

export function createCursorWrites(executor: Executor): StoreTx['cursors'] {
  return {
    ...createCursorReads(executor),
    advance: async (address, eventId, isActive, now) => {
      const { channel, account } = address;
      const place = placeKey(address);
      if (!isActive) {
        await executor.run(moveOn, { channel, account, place, eventId });
        return;
      }
      const json = JSON.stringify(address);
      await executor.run(activate, { channel, account, place, address: json, event_id: eventId, at: now });
    },
    putMissed: async (messages, now) => {
      for (const message of messages) {
        const { address, eventId } = message;
        const row = { place: placeKey(address), eventId, message: JSON.stringify(message), now };
        await executor.run(insertMissed, row);
      }
    },
    removeMissed: async (address, upToSeq) => {
      await executor.run(deleteMissed, { place: placeKey(address), upToSeq });
    },
    removePlace: async (address) => {
      const { channel, account } = address;
      const range = rangeOf(address);
      await executor.run(deleteCursors, { channel, account, ...range });
      await executor.run(deleteAllMissed, range);
    },
    forget: (before, limit) => executor.run(forgetCursors, { before, limit }),
  };
}
