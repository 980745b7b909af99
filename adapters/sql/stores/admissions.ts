/** Which platform events were handled, and which were dropped: the rows behind ports/store/admissions.ts. */
import { type Selectable, sql } from 'kysely';
import type { Drop, DropReason, StoreReads, StoreTx } from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import { addressJson } from '../json-columns.ts';
import { wordOf } from '../literals.ts';
import type { ReadExecutor } from '../read-executor.ts';
import type { DropTable } from '../schema.ts';
import { statement } from '../statement.ts';

const reasonOf = wordOf<DropReason>({
  'sender-is-bot': true,
  'empty-text': true,
  'not-addressed': true,
  'sender-not-allowed': true,
  'direct-disabled': true,
  'groups-disabled': true,
  'place-not-allowed': true,
  'pairing-needed': true,
  'pairing-full': true,
  'pairing-denied': true,
  'bots-only': true,
  'command-not-allowed': true,
  'not-for-presser': true,
  missed: true,
  'text-too-long': true,
  'queue-full': true,
});

const selectResult = statement<{ channel: string; account: string; eventId: string }>()((db, arg) =>
  db
    .selectFrom('processed_events')
    .select('result')
    .where('channel', '=', arg('channel'))
    .where('account', '=', arg('account'))
    .where('event_id', '=', arg('eventId')),
);

const selectDrops = statement<{ limit: number }>()((db, arg) =>
  db.selectFrom('drops').selectAll().orderBy('id', 'desc').limit(arg('limit')),
);

const insertEvent = statement<{
  channel: string;
  account: string;
  eventId: string;
  result: string;
  now: number;
}>()((db, arg) =>
  db
    .insertInto('processed_events')
    .values({
      channel: arg('channel'),
      account: arg('account'),
      event_id: arg('eventId'),
      result: arg('result'),
      at: arg('now'),
    })
    .onConflict((conflict) => conflict.columns(['channel', 'account', 'event_id']).doNothing()),
);

const insertDrop = statement<{
  address: string;
  eventId: string;
  senderId: string;
  reason: string;
  at: number;
}>()((db, arg) =>
  db.insertInto('drops').values({
    address: arg('address'),
    event_id: arg('eventId'),
    sender_id: arg('senderId'),
    reason: arg('reason'),
    at: arg('at'),
  }),
);

const forgetEvents = statement<{ before: number; limit: number }>()(
  (_db, arg) => sql`
    delete from processed_events where (channel, account, event_id) in (
      select channel, account, event_id from processed_events where at < ${arg('before')} limit ${arg('limit')}
    )`,
);

const forgetDrops = statement<{ before: number; limit: number }>()(
  (_db, arg) => sql`
    delete from drops where id in (select id from drops where at < ${arg('before')} limit ${arg('limit')})`,
);

export function createAdmissionReads(read: ReadExecutor): StoreReads['admissions'] {
  return {
    result: async (channel, account, eventId) => {
      const row = await read.first(selectResult, { channel, account, eventId });
      return row && (JSON.parse(row.result) as unknown);
    },
    drops: async (limit) => (await read.all(selectDrops, { limit })).map(toDrop),
  };
}

export function createAdmissionWrites(executor: Executor): StoreTx['admissions'] {
  return {
    ...createAdmissionReads(executor),
    record: async ({ channel, account, eventId, result }, now) => {
      const stored = JSON.stringify(result ?? null);
      return (await executor.run(insertEvent, { channel, account, eventId, result: stored, now })) === 1;
    },
    drop: async ({ address, eventId, senderId, reason, at }) => {
      await executor.run(insertDrop, { address: JSON.stringify(address), eventId, senderId, reason, at });
    },
    forget: async (before, limit) => {
      const events = await executor.run(forgetEvents, { before, limit });
      return Math.max(events, await executor.run(forgetDrops, { before, limit }));
    },
  };
}

function toDrop(row: Selectable<DropTable>): Drop {
  return {
    address: addressJson.parse(row.address),
    eventId: row.event_id,
    senderId: row.sender_id,
    reason: reasonOf(row.reason),
    at: row.at,
  };
}
