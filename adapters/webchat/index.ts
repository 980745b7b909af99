/**
 * The web chat: a chat platform of our own behind the same port as the others. Its store is what a platform would keep on
 * its servers; its routes are mounted by whoever runs the HTTP server.
 *
 *   page / API → inbox → handlers        send, edit, openThread → store → event hub → page
 */
import { Hono } from 'hono';
import type { Address } from '../../src/core/address.ts';
import type { CompletionChoice } from '../../src/core/command-grammar.ts';
import type { Inbound } from '../../src/core/message.ts';
import type { ChannelAdapter, ChannelCapabilities, ChannelHandlers } from '../../src/ports/channel.ts';
import type { ChatStore } from '../../src/ports/chat-store.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Ids } from '../../src/ports/ids.ts';
import type { Log } from '../../src/ports/log.ts';
import { ACCOUNT, addressOf, CHANNEL, type Place, placeOf } from './addresses.ts';
import { createEventHub } from './events.ts';
import { createInbox } from './inbound.ts';
import { createOutbox, MAX_PART_LENGTH } from './outbound.ts';
import { eventHtml } from './page/event-html.ts';
import { pageRoutes } from './page/page-routes.ts';
import { threadPath } from './page/paths.ts';
import { createPresence } from './presence.ts';
import { apiRoutes } from './routes.ts';
import { MAX_TITLE_LENGTH, OWNER } from './schema.ts';
import { createThreads } from './threads.ts';
import type { ThreadView } from './view.ts';

export interface WebchatParts {
  readonly store: ChatStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** The name that stands above the bot's messages. */
  readonly agentName: string;
}

export interface WebchatAdapter extends ChannelAdapter {
  /** The page at `/`, its assets, and the API below `/api/webchat`. Must be mounted behind a check of who is calling. */
  readonly routes: Hono;
  setTyping(address: Address, isWorking: boolean): void;
  preview(address: Address, runId: string, text: string): void;
  /** Lossy: tells open pages that what the thread is bound to has changed. */
  bindingChanged(address: Address): void;
}

const CAPABILITIES: ChannelCapabilities = {
  hasThreads: true,
  hasDirectThreads: false,
  threadsAreNamedByMessage: false,
  hasCards: true,
  maxTextLength: MAX_PART_LENGTH,
  maxTitleLength: MAX_TITLE_LENGTH,
  showsTables: false,
  maxFileBytes: 0,
  editIntervalMs: 1_000,
  readsUnmentioned: true,
  needsMention: false,
  threadLink: `[its own thread](${threadPath('{conversation}', '{thread}')})`,
  owners: [OWNER],
};

export function createWebchatAdapter({ store, clock, ids, log, agentName }: WebchatParts): WebchatAdapter {
  let handlers: ChannelHandlers | undefined;
  const presence = createPresence(clock, (signal) => events.signal(signal));
  const events = createEventHub({
    store,
    clock,
    log,
    snapshot: () => presence.snapshot(),
    renderHtml: (type, data) => eventHtml(type, data, clock.now()),
  });
  const { stored } = events;
  const outbox = createOutbox({ store, clock, agentName, stored, said: (place) => presence.said(place) });
  const inbox = createInbox({ store, clock, ids, log, stored, reply: outbox.reply });
  const threads = createThreads({ store, clock, ids, stored });

  async function listThreads(conversation: string): Promise<readonly ThreadView[]> {
    const bindings = (await handlers?.bindings(addressOf({ conversation }))) ?? [];
    return threads.list(conversation, bindings);
  }

  async function complete(place: Place, text: string): Promise<readonly CompletionChoice[]> {
    const typed: Inbound = {
      address: addressOf(place),
      eventId: '',
      sender: { id: OWNER, name: OWNER, isBot: false },
      text,
      source: 'message',
      isAddressed: true,
      at: clock.now(),
    };
    return (await handlers?.complete(typed)) ?? [];
  }

  async function announceThread(address: Address): Promise<void> {
    const views = await listThreads(address.conversation);
    const view = views.find((thread) => thread.id === address.thread);
    if (view) events.signal({ type: 'thread', ...view });
  }

  const routes = new Hono();
  routes.route('/', apiRoutes({ store, inbox, openThread: threads.open, listThreads, complete, events }));
  routes.route('/', pageRoutes({ store, clock, listThreads }));

  return {
    channel: CHANNEL,
    account: ACCOUNT,
    capabilities: CAPABILITIES,
    routes,
    async start(given) {
      handlers = given;
      await inbox.start(given);
    },
    async stop() {
      await inbox.stop();
      events.close();
      presence.stop();
      handlers = undefined;
    },
    send: outbox.send,
    findSent: outbox.findSent,
    edit: outbox.edit,
    openThread: threads.openThread,
    setTyping: (address, isWorking) => presence.typing(placeOf(address), isWorking),
    setQueued: (address, eventId, isQueued) => presence.queued(placeOf(address), eventId, isQueued),
    preview: (address, runId, text) => presence.preview(placeOf(address), runId, text),
    bindingChanged: (address) => {
      announceThread(address).catch((error: unknown) =>
        log.debug({ err: error }, 'A binding could not be shown'),
      );
    },
  };
}
