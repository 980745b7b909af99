/** The channel accounts that the gateway serves: the rows behind ports/store/accounts.ts. */
import type { StoreReads, StoreTx } from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import { capabilitiesJson } from '../json-columns.ts';
import type { ReadExecutor } from '../read-executor.ts';
import { statement } from '../statement.ts';

const selectAccounts = statement()((db) => db.selectFrom('accounts').selectAll());

const deleteAccounts = statement()((db) => db.deleteFrom('accounts'));

const insertAccount = statement<{ channel: string; account: string; capabilities: string }>()((db, arg) =>
  db
    .insertInto('accounts')
    .values({ channel: arg('channel'), account: arg('account'), capabilities: arg('capabilities') }),
);

export function createAccountReads(read: ReadExecutor): StoreReads['accounts'] {
  return {
    all: async () =>
      (await read.all(selectAccounts, {})).map(({ channel, account, capabilities }) => ({
        channel,
        account,
        capabilities: capabilitiesJson.parse(capabilities),
      })),
  };
}

export function createAccountWrites(executor: Executor): StoreTx['accounts'] {
  return {
    ...createAccountReads(executor),
    replace: async (accounts) => {
      await executor.run(deleteAccounts, {});
      for (const { channel, account, capabilities } of accounts) {
        await executor.run(insertAccount, { channel, account, capabilities: JSON.stringify(capabilities) });
      }
    },
  };
}
