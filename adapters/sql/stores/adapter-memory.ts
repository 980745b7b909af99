/** What channel adapters must remember: the rows behind ports/adapter-memory.ts, each account's apart from the others'. */
import type { AdapterMemory } from '../../../src/ports/adapter-memory.ts';
import type { SqlDatabase } from '../open-database.ts';
import { statement } from '../statement.ts';

interface Account {
  readonly channel: string;
  readonly account: string;
}

/** `beyond` is the first text behind all that begin with the prefix. */
const selectEntries = statement<{ channel: string; account: string; prefix: string; beyond: string }>()(
  (db, arg) =>
    db
      .selectFrom('adapter_memory')
      .select(['key', 'value'])
      .where('channel', '=', arg('channel'))
      .where('account', '=', arg('account'))
      .where('key', '>=', arg('prefix'))
      .where('key', '<', arg('beyond'))
      .orderBy('key'),
);

const upsertEntry = statement<{ channel: string; account: string; key: string; value: string }>()((db, arg) =>
  db
    .insertInto('adapter_memory')
    .values({ channel: arg('channel'), account: arg('account'), key: arg('key'), value: arg('value') })
    .onConflict((conflict) =>
      conflict.columns(['channel', 'account', 'key']).doUpdateSet({ value: arg('value') }),
    ),
);

const deleteEntry = statement<{ channel: string; account: string; key: string }>()((db, arg) =>
  db
    .deleteFrom('adapter_memory')
    .where('channel', '=', arg('channel'))
    .where('account', '=', arg('account'))
    .where('key', '=', arg('key')),
);

export function createSqliteAdapterMemory(
  { read, transact }: Pick<SqlDatabase, 'read' | 'transact'>,
  { channel, account }: Account,
): AdapterMemory {
  return {
    list: async (prefix) =>
      (await read.all(selectEntries, { channel, account, prefix, beyond: `${prefix}\u{10ffff}` })).map(
        ({ key, value }) => ({ key, value }),
      ),
    set: (key, value) =>
      transact(async (executor) => {
        await executor.run(upsertEntry, { channel, account, key, value });
      }),
    remove: (key) =>
      transact(async (executor) => {
        await executor.run(deleteEntry, { channel, account, key });
      }),
  };
}
