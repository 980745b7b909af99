/** A database in a folder of its own, with the machine's clock and a log that says nothing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore, type SqliteStores } from '../../adapters/sql/index.ts';
import type { Address } from '../../src/core/address.ts';
import { inputId, runId, type SessionKey } from '../../src/core/ids.ts';
import type { Actor } from '../../src/core/message.ts';
import type { NewEntry } from '../../src/core/transcript.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import type { NewInput, NewRun, NewSession } from '../../src/ports/store/index.ts';

export const sqlClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, fire) => {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};

const ignore = () => undefined;
export const sqlLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => sqlLog };

export function databaseSettings(path: string) {
  return { path, synchronous: 'normal', clock: sqlClock, log: sqlLog } as const;
}

/** A new folder for one test; `remove` deletes it with everything in it. */
export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'skein-sql-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export const place = (conversation = 'general', thread?: string): Address => ({
  channel: 'webchat',
  account: 'default',
  chatType: 'channel',
  conversation,
  ...(thread !== undefined && { thread }),
});

export const keyOf = (name: string) => `agent:main:webchat:channel:${name}` as SessionKey;

export const ada: Actor = { channel: 'webchat', id: 'ada', name: 'Ada', role: 'owner' };

export const newSession = (name: string, more: Partial<NewSession> = {}): NewSession => ({
  key: keyOf(name),
  id: `id-${name}`,
  kind: 'group',
  agentId: 'main',
  depth: 0,
  role: 'main',
  cleanup: 'keep',
  createdAt: 1_000,
  ...more,
});

export const newRun = (id: string, session: string, more: Partial<NewRun> = {}): NewRun => ({
  id: runId(id),
  sessionKey: keyOf(session),
  lane: 'main',
  trigger: 'message',
  status: 'queued',
  origin: { delivery: { kind: 'external', address: place(session) }, actor: ada },
  ...more,
});

export const newInput = (id: string, session: string, run?: string): NewInput => ({
  id: inputId(id),
  sessionKey: keyOf(session),
  ...(run !== undefined && { runId: runId(run) }),
  text: `text of ${id}`,
  provenance: { kind: 'user', sender: { id: 'ada', name: 'Ada', role: 'owner' }, eventId: `e-${id}` },
});

export const said = (text: string): NewEntry => ({
  content: { role: 'user', text },
  provenance: { kind: 'user' },
});

export const answered = (text: string): NewEntry => ({
  content: { role: 'assistant', text, toolCalls: [] },
  provenance: { kind: 'model' },
});

export interface StoreFixture extends SqliteStores {
  readonly path: string;
  /** Another instance on the same file, with connections of its own, as another process has them. */
  second(): Promise<SqliteStores>;
  /** Closes every instance and removes the folder. */
  remove(): Promise<void>;
}

export async function openTemporaryStore(): Promise<StoreFixture> {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'skein.db');
  const opened: SqliteStores[] = [];
  const open = async () => {
    const stores = await openSqliteStore(databaseSettings(path));
    opened.push(stores);
    return stores;
  };
  return {
    ...(await open()),
    path,
    second: open,
    remove: async () => {
      for (const stores of opened) await stores.close();
      await folder.remove();
    },
  };
}
