/** Every statement that the stores run, gathered by calling each of their methods once on a database in memory. */
import Database from 'better-sqlite3';
import { createSqliteChatStore } from '../../adapters/sql/chat/index.ts';
import { createConnection, type Executor } from '../../adapters/sql/connection.ts';
import { migrate, readMigrations } from '../../adapters/sql/migrate.ts';
import { createSqliteAdapterMemory } from '../../adapters/sql/stores/adapter-memory.ts';
import { createStoreTx } from '../../adapters/sql/stores/index.ts';
import { bindingId, inputId, operationId, runId, toolCallKey } from '../../src/core/ids.ts';
import type { StoreTx } from '../../src/ports/store/index.ts';
import { ada, keyOf, newInput, newRun, newSession, place, said } from './sql-fixtures.ts';

export function migratedDatabase(): Database.Database {
  const database = new Database(':memory:');
  migrate(database, readMigrations(), 1_000);
  return database;
}

export async function recordStatements(database: Database.Database): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  const connection = createConnection(database);
  const executor: Executor = {
    all: async (statement, args) => {
      seen.add(statement.sql);
      return connection.all(statement, args);
    },
    first: async (statement, args) => {
      seen.add(statement.sql);
      return connection.all(statement, args)[0];
    },
    run: async (statement, args) => {
      seen.add(statement.sql);
      return connection.run(statement, args);
    },
  };
  const tx = createStoreTx(executor);
  await callSessions(tx);
  await callRuns(tx);
  await callOthers(tx);
  await callFiles(tx);
  await callCursors(tx);
  await callPairings(tx);
  await callOperations(tx);
  await callChat(executor);
  await callAdapterMemory(executor);
  await tx.sessions.remove(keyOf('a'));
  return seen;
}

async function callSessions({ sessions, entries }: StoreTx): Promise<void> {
  const key = keyOf('a');
  await sessions.ensure(newSession('a'));
  await sessions.getById('id-a');
  await sessions.children(key);
  await sessions.descendants(key);
  await sessions.withLabel('x');
  await sessions.recent(9);
  await sessions.dueForArchive(1, 9);
  await sessions.update(key, { route: place() }, 1);
  await sessions.nextOrdinal(key);
  await entries.append(key, [said('words')], 1);
  await entries.list(key);
  await entries.tail(key, 9);
  await entries.search('words', { limit: 9 });
  await entries.search('words', { limit: 9, sessionKeys: [key] });
}

async function callRuns({ runs, inputs, toolCalls }: StoreTx): Promise<void> {
  const key = keyOf('a');
  const id = runId('r1');
  await runs.insert(newRun('r1', 'a'), 1);
  await runs.get(id);
  await runs.withPrefix('r', 9);
  await runs.active(key);
  await runs.ofSession(key, 9);
  await runs.allActive(9);
  await runs.claimable('main', 1, 9);
  await runs.claim({ sessionKey: key, lane: 'main', cap: 1, owner: 'me', leaseMs: 1, now: 1 });
  await runs.leaseExpired(1, 9);
  await runs.owners();
  await runs.counts();
  await runs.renewLease(id, 1, 5);
  await runs.update(id, { from: ['running'], fence: 1 }, { step: 1 });
  await runs.end(id, { from: ['running'] }, { status: 'failed', outcome: { text: '' }, endedAt: 1 });
  await inputs.insert(newInput('i1', 'a', 'r1'), 1);
  await inputs.pending(id);
  await inputs.unassigned(key);
  await inputs.ofRun(id);
  await inputs.latestSenders(key, 9);
  await inputs.assign([inputId('i1')], id);
  await inputs.consume([inputId('i1')], 1);
  await inputs.rewrite(inputId('i1'), 'x', { kind: 'runtime' });
  await inputs.remove([inputId('i1')]);
  await toolCalls.unfinished(id);
  await toolCalls.setStatus(toolCallKey(id, 1, 0), 'done');
  await runs.remove(id);
}

async function callOthers({ bindings, announces, stateLog, admissions }: StoreTx): Promise<void> {
  const key = keyOf('a');
  const id = bindingId('b1');
  await bindings.get(id);
  await bindings.live(place());
  await bindings.ofSession(key);
  await bindings.ofConversation(place());
  await bindings.ofAccount('webchat', 'default', 9);
  await bindings.due(1, 9);
  await bindings.update(id, { lastActivityAt: 1 });
  await bindings.end(id, 'idle', ada, 1);
  await announces.get(runId('r1'));
  await announces.move(runId('r1'), ['handed'], { status: 'delivered' }, 1);
  await stateLog.after(key, 0, 9);
  await stateLog.watchers(key);
  await stateLog.watch(key, key, 1);
  const event = { sessionKey: key, kind: 'created', actorType: 'system', actorId: '', summary: '' } as const;
  await stateLog.append({ ...event, payload: {} }, 1);
  await admissions.result('webchat', 'default', 'e1');
  await admissions.record({ channel: 'webchat', account: 'default', eventId: 'e1', result: 1 }, 1);
  await admissions.drops(9);
  await admissions.forget(1, 9);
}

async function callFiles({ files }: StoreTx): Promise<void> {
  await files.put(keyOf('a'), { id: 'f', mediaType: 'image/png', bytes: Uint8Array.of(1) }, 1);
  await files.get(['f']);
}

async function callCursors({ cursors }: StoreTx): Promise<void> {
  await cursors.get(place());
  await cursors.active('webchat', 'default', 1, 9);
  await cursors.advance(place(), 'e1', true, 1);
  await cursors.advance(place(), 'e2', false, 1);
  const sender = { id: 'u', name: 'U', isBot: false };
  const event = { eventId: 'e1', sender, text: '', source: 'message', isAddressed: true, at: 1 } as const;
  await cursors.putMissed([{ ...event, address: place() }], 1);
  await cursors.missed(place());
  await cursors.undecided(1, 9);
  await cursors.removeMissed(place(), 1);
  await cursors.removePlace(place());
  await cursors.forget(1, 9);
}

async function callPairings({ pairings }: StoreTx): Promise<void> {
  const person = { channel: 'webchat', account: 'default', peer: 'ada' };
  const asked = { address: place(), code: 'ABCD-2345', requestedAt: 1, expiresAt: 9 };
  await pairings.put({ ...person, ...asked, name: 'Ada', status: 'pending' });
  await pairings.of('webchat', 'default', 'ada');
  await pairings.pending(2);
  await pairings.withCode('ABCD-2345', 2);
  await pairings.decide(person, 'approved', 'api', 2);
  await pairings.removeVoid(2);
}

async function callOperations({ operations }: StoreTx): Promise<void> {
  const id = operationId('o1');
  await operations.get(id);
  await operations.failed(9);
  await operations.hasDue('webchat', 'default', 1);
  await operations.counts();
  await operations.claim({ channel: 'webchat', account: 'default', owner: 'me', now: 1, limit: 9 });
  await operations.finish(id, 1, {}, 1);
  await operations.release(['me']);
  await operations.owners();
}

async function callChat(executor: Executor): Promise<void> {
  const chat = createSqliteChatStore({ read: executor, transact: (fn) => fn(executor) });
  const conversation = 'general';
  const author = { kind: 'user', name: 'Ada' } as const;
  await chat.addMessage({ id: 'm1', conversation, author, text: '', at: 1, needsAdmission: true });
  await chat.messages({ conversation, limit: 9 });
  await chat.messages({ conversation, limit: 9, after: 0 });
  await chat.editMessage('m1', { text: 'x' });
  await chat.unadmitted();
  await chat.markAdmitted(['m1']);
  await chat.getThread('t1');
  await chat.threads(conversation);
  await chat.setArchived('t1', true);
  await chat.conversations();
  await chat.eventsAfter(0, 9);
  await chat.lastEventSeq();
}

async function callAdapterMemory(executor: Executor): Promise<void> {
  const database = { read: executor, transact: <T>(fn: (given: Executor) => Promise<T>) => fn(executor) };
  const memory = createSqliteAdapterMemory(database, { channel: 'discord', account: 'default' });
  await memory.set('a', 'x');
  await memory.list('');
  await memory.remove('a');
}
