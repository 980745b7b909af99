/** The page itself: server-rendered, complete before any script runs. What it does goes through the API. */
import { Hono } from 'hono';
import type { ChatStore } from '../../../src/ports/chat-store.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { isName } from '../schema.ts';
import { messageView, type ThreadView } from '../view.ts';
import { createAssets } from './assets.ts';
import { notFoundView, pageView } from './layout.ts';
import { channelPath } from './paths.ts';
import { threadList } from './sidebar-view.ts';

const HOME = 'general';
const SHOWN_MESSAGES = 300;

export interface PageParts {
  readonly store: ChatStore;
  readonly clock: Clock;
  readonly listThreads: (conversation: string) => Promise<readonly ThreadView[]>;
}

export function pageRoutes(parts: PageParts): Hono {
  const { store, clock, listThreads } = parts;
  const assets = createAssets();
  const routes = new Hono();
  routes.route('/', assets.routes);

  async function lost(what: string): Promise<Response> {
    const body = await notFoundView(what, await assets.version());
    return new Response(String(body), {
      status: 404,
      headers: { 'Content-Type': 'text/html; charset=utf-8' },
    });
  }

  async function show(conversation: string, thread?: string): Promise<Response> {
    if (!isName(conversation)) return lost('There is no channel of that name');
    // First the place in the stream, then the contents: what comes in between is shown twice rather than never.
    const lastEventId = await store.lastEventSeq();
    const [used, threads, messages] = await Promise.all([
      store.conversations(),
      listThreads(conversation),
      store.messages({ conversation, limit: SHOWN_MESSAGES }),
    ]);
    const open = threads.find((item) => item.id === thread);
    if (thread !== undefined && !open) return lost('There is no such thread');
    const now = clock.now();
    const replies = open
      ? await store.messages({ conversation, thread: open.id, limit: SHOWN_MESSAGES })
      : [];
    const body = await pageView({
      conversations: [...new Set([HOME, ...used, conversation])],
      conversation,
      ...(open && { thread: open.id }),
      threads,
      channel: { conversation, messages: messages.map(messageView), threads, now },
      ...(open && {
        openThread: { conversation, thread: open, messages: replies.map(messageView), threads: [], now },
      }),
      lastEventId,
      version: await assets.version(),
    });
    return new Response(String(body), { headers: { 'Content-Type': 'text/html; charset=utf-8' } });
  }

  routes.get('/', () => show(HOME));
  routes.get('/c', async (c) => {
    const name = (c.req.query('name') ?? '').trim().toLowerCase();
    return isName(name)
      ? c.redirect(channelPath(name), 303)
      : lost('A channel’s name has small letters, digits, _ and -');
  });
  routes.get('/c/:conversation', (c) => show(c.req.param('conversation')));
  routes.get('/c/:conversation/t/:thread', (c) => show(c.req.param('conversation'), c.req.param('thread')));
  routes.get('/fragments/threads', async (c) => {
    const conversation = c.req.query('conversation') ?? '';
    if (!isName(conversation)) return c.notFound();
    const thread = c.req.query('thread');
    const threads = await listThreads(conversation);
    return c.html(threadList({ conversation, threads, ...(thread && { thread }) }));
  });
  return routes;
}
