/** The stores of the state folder, over one database file. */
import type { AdapterMemory } from '../../src/ports/adapter-memory.ts';
import type { ChatStore } from '../../src/ports/chat-store.ts';
import type { Store } from '../../src/ports/store/index.ts';
import { createSqliteChatStore } from './chat/index.ts';
import { type DatabaseSettings, openDatabase } from './open-database.ts';
import { createSqliteAdapterMemory } from './stores/adapter-memory.ts';
import { createStoreReads, createStoreTx } from './stores/index.ts';

export interface SqliteStores {
  readonly store: Store;
  readonly chat: ChatStore;
  /** What the adapter of that account remembers. */
  adapterMemory(of: { readonly channel: string; readonly account: string }): AdapterMemory;
  /** Closes all: waits for the transaction that is running, refuses later ones. Closing twice does nothing. */
  close(): Promise<void>;
}

/**
 * Opens (and first makes or migrates) the database. Fails with AppError `state-unusable` when the file or its folder cannot
 * be used: damaged, of a newer version or another program, read-only, blocked; the file is then left as it was.
 */
export async function openSqliteStore(settings: DatabaseSettings): Promise<SqliteStores> {
  const database = await openDatabase(settings);
  const store: Store = {
    read: createStoreReads(database.read),
    transaction: (fn) => database.transact((executor) => fn(createStoreTx(executor))),
    externalVersion: database.externalVersion,
    close: database.close,
  };
  return {
    store,
    chat: createSqliteChatStore(database),
    adapterMemory: (of) => createSqliteAdapterMemory(database, of),
    close: database.close,
  };
}
