/** The promises of ports/chat-store.ts, kept by the SQLite store. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqliteChatStore, openDatabase, type SqlDatabase } from '../../adapters/sql/index.ts';
import type { RunCard } from '../../src/core/card.ts';
import { NO_USAGE } from '../../src/core/run.ts';
import type { ChatStore } from '../../src/ports/chat-store.ts';
import { databaseSettings, temporaryFolder } from '../support/sql-fixtures.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let database: SqlDatabase;
let chat: ChatStore;

async function open() {
  database = await openDatabase(databaseSettings(join(folder.path, 'skein.db')));
  chat = createSqliteChatStore(database);
}

beforeEach(async () => {
  folder = await temporaryFolder();
  await open();
});
afterEach(async () => {
  await database.close();
  await folder.remove();
});

const user = { kind: 'user', name: 'Ada' } as const;
const message = (id: string, more: { conversation?: string; thread?: string; text?: string } = {}) => ({
  id,
  conversation: 'general',
  author: user,
  text: `text of ${id}`,
  at: 1_000,
  needsAdmission: true,
  ...more,
});
const thread = (id: string, conversation = 'general') => ({
  id,
  conversation,
  title: `Thread ${id}`,
  isArchived: false,
  createdAt: 5,
});
const card: RunCard = {
  runId: 'run_1',
  agent: 'main',
  label: 'look into x',
  state: 'running',
  thread: 't1',
  tool: 'sessions_spawn',
  startedAt: 7,
  usage: NO_USAGE,
  activeChildren: 1,
  actions: [{ label: 'Stop', command: '/stop', thread: 't1' }],
};
const ids = (messages: readonly { id: string }[]) => messages.map(({ id }) => id);

describe('messages', () => {
  it('are stored once by id: the first one stays and is returned again', async () => {
    const first = await chat.addMessage(message('m1'));
    const again = await chat.addMessage(message('m1', { text: 'other' }));
    expect(first.isNew).toBe(true);
    expect(again).toEqual({ message: first.message, isNew: false });
    expect(await chat.lastEventSeq()).toBe(1);
  });

  it('are numbered over all conversations and listed oldest first after a number', async () => {
    const a = await chat.addMessage(message('m1'));
    const b = await chat.addMessage(message('m2', { conversation: 'other' }));
    await chat.addMessage(message('m3'));
    await chat.addMessage(message('m4'));
    expect(b.message.seq).toBeGreaterThan(a.message.seq);
    const { seq } = a.message;
    expect(ids(await chat.messages({ conversation: 'general', after: 0, limit: 2 }))).toEqual(['m1', 'm3']);
    expect(ids(await chat.messages({ conversation: 'general', after: seq, limit: 9 }))).toEqual(['m3', 'm4']);
  });

  it('are the newest ones, oldest of them first, when no number is given', async () => {
    for (const id of ['m1', 'm2', 'm3']) await chat.addMessage(message(id));
    expect(ids(await chat.messages({ conversation: 'general', limit: 2 }))).toEqual(['m2', 'm3']);
  });

  it('of a thread and of the root of its conversation are kept apart', async () => {
    await chat.addMessage(message('m1'));
    await chat.addMessage(message('m2', { thread: 'm1' }));
    expect(ids(await chat.messages({ conversation: 'general', limit: 9 }))).toEqual(['m1']);
    expect(ids(await chat.messages({ conversation: 'general', thread: 'm1', limit: 9 }))).toEqual(['m2']);
  });

  it('are edited in place with a card event, and an unknown one is answered with undefined', async () => {
    await chat.addMessage({ ...message('m1'), card });
    const edited = await chat.editMessage('m1', { text: 'done', card: { ...card, state: 'succeeded' } });
    expect(edited).toEqual(await chat.getMessage('m1'));
    expect(edited).toMatchObject({ text: 'done', card: { ...card, state: 'succeeded' } });
    expect(await chat.editMessage('m1', { text: 'bare' })).not.toHaveProperty('card');
    expect(await chat.editMessage('none', { text: '' })).toBeUndefined();
    expect((await chat.eventsAfter(0, 9)).map(({ type }) => type)).toEqual(['message', 'card', 'card']);
  });

  it('wait to be admitted until they are marked, also over a restart', async () => {
    await chat.addMessage(message('m1'));
    await chat.addMessage({ ...message('m2'), needsAdmission: false });
    await chat.addMessage(message('m3'));
    await database.close();
    await open();
    expect(ids(await chat.unadmitted())).toEqual(['m1', 'm3']);
    await chat.markAdmitted(['m1']);
    expect(ids(await chat.unadmitted())).toEqual(['m3']);
  });
});

describe('threads', () => {
  it('are opened once by id, with one event', async () => {
    const opened = await chat.openThread(thread('t1'));
    expect(await chat.openThread({ ...thread('t1'), title: 'other' })).toEqual(opened);
    expect(await chat.getThread('t1')).toEqual(thread('t1'));
    expect(await chat.getThread('t2')).toBeUndefined();
    expect(await chat.eventsAfter(0, 9)).toMatchObject([{ type: 'thread', thread: 't1' }]);
  });

  it('are listed by conversation in order of opening', async () => {
    for (const id of ['t2', 't1']) await chat.openThread(thread(id));
    await chat.openThread(thread('t3', 'other'));
    expect(ids(await chat.threads('general'))).toEqual(['t2', 't1']);
  });

  it('tell of being archived once', async () => {
    await chat.openThread(thread('t1'));
    await chat.setArchived('t1', true);
    await chat.setArchived('t1', true);
    await chat.setArchived('unknown', true);
    expect(await chat.getThread('t1')).toMatchObject({ isArchived: true });
    expect((await chat.eventsAfter(1, 9)).map(({ data }) => data)).toMatchObject([{ archived: true }]);
  });
});

describe('events', () => {
  it('carry what the API shows and resume after a number', async () => {
    const { message: stored } = await chat.addMessage(message('m1', { thread: 't1' }));
    await chat.addMessage(message('m2'));
    const [first, second] = await chat.eventsAfter(0, 9);
    expect(first).toEqual({
      seq: 1,
      type: 'message',
      conversation: 'general',
      thread: 't1',
      data: { ...stored },
    });
    expect(await chat.eventsAfter(first!.seq, 9)).toEqual([second]);
    expect(await chat.eventsAfter(0, 1)).toEqual([first]);
    expect(await chat.lastEventSeq()).toBe(second!.seq);
  });

  it('begin at 0', async () => {
    expect(await chat.lastEventSeq()).toBe(0);
  });
});

it('names conversations in order of first use', async () => {
  await chat.addMessage(message('m1', { conversation: 'zeta' }));
  await chat.openThread(thread('t1', 'alpha'));
  await chat.addMessage(message('m2', { conversation: 'zeta' }));
  expect(await chat.conversations()).toEqual(['zeta', 'alpha']);
});
