/**
 * The web chat's store on SQLite. A change and the event that tells of it commit together, so a listener that resumes by
 * event number misses nothing. It knows nothing of the store's other tables.
 */
import type { ChatMessage, ChatStore, ChatThread } from '../../../src/ports/chat-store.ts';
import type { Executor } from '../connection.ts';
import type { SqlDatabase } from '../open-database.ts';
import { jsonList } from '../statement.ts';
import { toEvent, toMessage, toThread } from './rows.ts';
import * as statements from './statements.ts';

export function createSqliteChatStore({ read, transact }: Pick<SqlDatabase, 'read' | 'transact'>): ChatStore {
  return {
    addMessage: (message) =>
      transact(async (executor) => {
        const known = await executor.first(statements.selectMessage, { id: message.id });
        if (known) return { message: toMessage(known), isNew: false };
        return { message: await storeMessage(executor, message), isNew: true };
      }),

    getMessage: async (id) => {
      const row = await read.first(statements.selectMessage, { id });
      return row && toMessage(row);
    },

    messages: async ({ conversation, thread = null, after, limit }) => {
      const place = { conversation, thread, limit };
      if (after !== undefined) {
        return (await read.all(statements.selectMessagesAfter, { ...place, after })).map(toMessage);
      }
      return (await read.all(statements.selectNewestMessages, place)).reverse().map(toMessage);
    },

    editMessage: (id, { text, card }) =>
      transact(async (executor) => {
        const row = await executor.first(statements.updateMessage, { id, text, card: jsonOrNull(card) });
        if (!row) return undefined;
        const message = toMessage(row);
        await storeMessageEvent(executor, 'card', message);
        return message;
      }),

    unadmitted: async () => (await read.all(statements.selectUnadmitted, {})).map(toMessage),

    markAdmitted: (ids) =>
      transact(async (executor) => {
        await executor.run(statements.markAdmitted, { ids: jsonList(ids) });
      }),

    openThread: (thread) =>
      transact(async (executor) => {
        const known = await executor.first(statements.selectThread, { id: thread.id });
        return known ? toThread(known) : storeThread(executor, thread);
      }),

    getThread: async (id) => {
      const row = await read.first(statements.selectThread, { id });
      return row && toThread(row);
    },

    threads: async (conversation) =>
      (await read.all(statements.selectThreads, { conversation })).map(toThread),

    setArchived: (id, isArchived) =>
      transact(async (executor) => {
        const row = await executor.first(statements.updateArchived, { id, isArchived: Number(isArchived) });
        if (row) await storeThreadEvent(executor, toThread(row));
      }),

    conversations: async () => (await read.all(statements.selectConversations, {})).map(({ name }) => name),

    eventsAfter: async (after, limit) =>
      (await read.all(statements.selectEventsAfter, { after, limit })).map(toEvent),

    lastEventSeq: async () => (await read.first(statements.selectLastEvent, {}))?.seq ?? 0,
  };
}

async function storeMessage(
  executor: Executor,
  message: Parameters<ChatStore['addMessage']>[0],
): Promise<ChatMessage> {
  const { id, conversation, thread = null, author, text, at, card, needsAdmission } = message;
  await executor.run(statements.insertConversation, { name: conversation });
  const row = await executor.first(statements.insertMessage, {
    id,
    conversation,
    thread,
    authorKind: author.kind,
    authorName: author.name,
    text,
    at,
    card: jsonOrNull(card),
    needsAdmission: Number(needsAdmission),
  });
  const stored = toMessage(row!);
  await storeMessageEvent(executor, 'message', stored);
  return stored;
}

async function storeThread(executor: Executor, thread: ChatThread): Promise<ChatThread> {
  const { id, conversation, title, isArchived, createdAt } = thread;
  await executor.run(statements.insertConversation, { name: conversation });
  await executor.run(statements.insertThread, {
    id,
    conversation,
    title,
    isArchived: Number(isArchived),
    createdAt,
  });
  await storeThreadEvent(executor, thread);
  return thread;
}

async function storeMessageEvent(
  executor: Executor,
  type: 'message' | 'card',
  message: ChatMessage,
): Promise<void> {
  const { conversation, thread = null } = message;
  await executor.run(statements.insertEvent, { type, conversation, thread, data: JSON.stringify(message) });
}

async function storeThreadEvent(executor: Executor, thread: ChatThread): Promise<void> {
  const { id, conversation, title, isArchived } = thread;
  const data = JSON.stringify({ id, conversation, title, archived: isArchived });
  await executor.run(statements.insertEvent, { type: 'thread', conversation, thread: id, data });
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
