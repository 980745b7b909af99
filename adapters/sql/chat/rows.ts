/** Rows of the web chat's tables, as what the port shows. */
import type { Selectable } from 'kysely';
import type { ChatEvent, ChatMessage, ChatThread } from '../../../src/ports/chat-store.ts';
import { cardJson } from '../json-columns.ts';
import type { ChatEventTable, ChatMessageTable, ChatThreadTable } from '../schema.ts';

export function toMessage(row: Selectable<ChatMessageTable>): ChatMessage {
  const card = cardJson.parseOptional(row.card);
  return {
    id: row.id,
    seq: row.seq,
    conversation: row.conversation,
    ...(row.thread !== null && { thread: row.thread }),
    author: { kind: row.author_kind === 'bot' ? 'bot' : 'user', name: row.author_name },
    text: row.text,
    at: row.at,
    ...(card && { card }),
  };
}

export function toThread(row: Selectable<ChatThreadTable>): ChatThread {
  return {
    id: row.id,
    conversation: row.conversation,
    title: row.title,
    isArchived: row.is_archived === 1,
    createdAt: row.created_at,
  };
}

export function toEvent(row: Selectable<ChatEventTable>): ChatEvent {
  return {
    seq: row.seq,
    type: row.type === 'card' || row.type === 'thread' ? row.type : 'message',
    conversation: row.conversation,
    ...(row.thread !== null && { thread: row.thread }),
    data: JSON.parse(row.data) as unknown,
  };
}
