/** The store on SQLite: everything that other folders use of this one. */
export { createSqliteChatStore } from './chat/index.ts';
export { type DatabaseState, isStateLocked, lookAtDatabase } from './look.ts';
export { type DatabaseSettings, openDatabase, type SqlDatabase } from './open-database.ts';
export { openSqliteStore, type SqliteStores } from './open-store.ts';
export { acquireStateLock, type StateLock } from './state-lock.ts';
