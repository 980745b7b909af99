/** The chat store in memory: the same promises as the real one, gone with the process. */
import type { ChatEvent, ChatMessage, ChatStore, ChatThread } from '../../src/ports/chat-store.ts';

export function createMemoryChatStore(): ChatStore {
  const messages: ChatMessage[] = [];
  const threads: ChatThread[] = [];
  const events: ChatEvent[] = [];
  const unadmitted = new Set<string>();

  function record(
    type: ChatEvent['type'],
    place: { conversation: string; thread?: string },
    data: unknown,
  ): void {
    const { conversation, thread } = place;
    events.push({
      seq: events.length + 1,
      type,
      conversation,
      ...(thread !== undefined && { thread }),
      data: structuredClone(data),
    });
  }

  return {
    async addMessage({ needsAdmission, ...given }) {
      const known = messages.find((message) => message.id === given.id);
      if (known) return { message: known, isNew: false };
      const message = { ...given, seq: messages.length + 1 };
      messages.push(message);
      if (needsAdmission) unadmitted.add(message.id);
      record('message', message, message);
      return { message, isNew: true };
    },
    async getMessage(id) {
      return messages.find((message) => message.id === id);
    },
    async messages({ conversation, thread, after, limit }) {
      const there = messages.filter(
        (message) => message.conversation === conversation && message.thread === thread,
      );
      return after === undefined
        ? there.slice(-limit)
        : there.filter((message) => message.seq > after).slice(0, limit);
    },
    async editMessage(id, change) {
      const index = messages.findIndex((message) => message.id === id);
      const before = messages[index];
      if (!before) return undefined;
      const { card: _card, ...rest } = before;
      const message = { ...rest, text: change.text, ...(change.card && { card: change.card }) };
      messages[index] = message;
      record('card', message, message);
      return message;
    },
    async unadmitted() {
      return messages.filter((message) => unadmitted.has(message.id));
    },
    async markAdmitted(ids) {
      for (const id of ids) unadmitted.delete(id);
    },
    async openThread(thread) {
      const known = threads.find((other) => other.id === thread.id);
      if (known) return known;
      threads.push(thread);
      const { isArchived, createdAt: _createdAt, ...data } = thread;
      record(
        'thread',
        { conversation: thread.conversation, thread: thread.id },
        { ...data, archived: isArchived },
      );
      return thread;
    },
    async getThread(id) {
      return threads.find((thread) => thread.id === id);
    },
    async threads(conversation) {
      return threads.filter((thread) => thread.conversation === conversation);
    },
    async setArchived(id, isArchived) {
      const index = threads.findIndex((thread) => thread.id === id);
      const thread = threads[index];
      if (thread) threads[index] = { ...thread, isArchived };
    },
    async conversations() {
      return [...new Set([...messages, ...threads].map((item) => item.conversation))];
    },
    async eventsAfter(seq, limit) {
      return events.slice(seq, seq + limit);
    },
    async lastEventSeq() {
      return events.length;
    },
  };
}
