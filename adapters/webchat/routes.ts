/** The web chat's HTTP API, as `docs/http-api.md` describes it. Who may call it is decided before it gets here. */
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { CompletionChoice } from '../../src/core/command-grammar.ts';
import type { InboundReceipt } from '../../src/ports/channel.ts';
import type { ChatStore } from '../../src/ports/chat-store.ts';
import type { Place } from './addresses.ts';
import type { EventHub } from './events.ts';
import type { Inbox, Posted } from './inbound.ts';
import {
  CommandsQuery,
  EventsQuery,
  MessagesQuery,
  PostMessage,
  PostThread,
  readBody,
  readQuery,
  ThreadsQuery,
} from './schema.ts';
import type { OpenedThread } from './threads.ts';
import { messageView, type ThreadView } from './view.ts';

export interface ApiParts {
  readonly store: ChatStore;
  readonly inbox: Inbox;
  readonly openThread: (body: PostThread) => Promise<OpenedThread>;
  readonly listThreads: (conversation: string) => Promise<readonly ThreadView[]>;
  readonly complete: (place: Place, text: string) => Promise<readonly CompletionChoice[]>;
  readonly events: EventHub;
}

export function apiRoutes(parts: ApiParts): Hono {
  const { store, events } = parts;
  const api = new Hono().basePath('/api/webchat');

  api.post('/messages', async (c) =>
    posted(c, await parts.inbox.post(readBody(PostMessage, await c.req.text()))),
  );

  api.get('/messages', async (c) => {
    const { conversation, thread, after, limit } = readQuery(MessagesQuery, c.req.query());
    if (thread !== undefined && !(await hasThread(store, conversation, thread))) return unknownThread(c);
    const messages = await store.messages({
      conversation,
      limit,
      ...(thread !== undefined && { thread }),
      ...(after !== undefined && { after }),
    });
    return c.json({ messages: messages.map(messageView) });
  });

  api.get('/threads', async (c) => {
    const { conversation } = readQuery(ThreadsQuery, c.req.query());
    return c.json({ threads: await parts.listThreads(conversation) });
  });

  api.post('/threads', async (c) =>
    opened(c, await parts.openThread(readBody(PostThread, await c.req.text()))),
  );

  api.get('/conversations', async (c) => c.json({ conversations: await store.conversations() }));

  api.get('/commands', async (c) => {
    const { text, ...place } = readQuery(CommandsQuery, c.req.query());
    return c.json({ completions: await parts.complete(place, text) });
  });

  api.get('/events', (c) => {
    const { conversation, lastEventId, format } = readQuery(EventsQuery, c.req.query());
    const header = c.req.header('last-event-id');
    const after = header && /^\d{1,15}$/.test(header) ? Number(header) : lastEventId;
    return events.open({
      asHtml: format === 'html',
      ...(after !== undefined && { after }),
      ...(conversation !== undefined && { conversation }),
    });
  });
  return api;
}

async function hasThread(store: ChatStore, conversation: string, thread: string): Promise<boolean> {
  return (await store.getThread(thread))?.conversation === conversation;
}

function posted(c: Context, result: Posted): Response {
  switch (result.status) {
    case 'accepted':
      return c.json(
        { messageId: result.messageId, ...(result.receipt && receiptFields(result.receipt)) },
        202,
      );
    case 'unknown-thread':
      return unknownThread(c);
    case 'conflict':
      return refuse(
        c,
        409,
        'id_in_use',
        'id: another message already has it. Use a new one, or leave it out.',
      );
    case 'not-started':
      return refuse(
        c,
        503,
        'unavailable',
        'The web chat is not taking messages just now. Try again in a moment.',
      );
  }
}

function receiptFields(receipt: InboundReceipt): Record<string, string> {
  switch (receipt.status) {
    case 'admitted':
      return { sessionKey: receipt.sessionKey, runId: receipt.runId };
    case 'command':
      return { command: receipt.command };
    case 'dropped':
      return { dropped: receipt.reason };
  }
}

function opened(c: Context, result: OpenedThread): Response {
  switch (result.status) {
    case 'opened':
      return c.json(result.thread, 201);
    case 'existing':
      return c.json(result.thread, 200);
    case 'unknown-message':
      return refuse(c, 404, 'unknown_message', 'messageId: there is no such message in that conversation.');
    case 'nested':
      return refuse(
        c,
        400,
        'bad_request',
        'messageId: that message is inside a thread; threads cannot be nested.',
      );
  }
}

function unknownThread(c: Context): Response {
  return refuse(c, 404, 'unknown_thread', 'thread: there is no such thread in that conversation.');
}

function refuse(c: Context, status: ContentfulStatusCode, code: string, message: string): Response {
  return c.json({ error: { code, message } }, status);
}
