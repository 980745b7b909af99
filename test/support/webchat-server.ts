/** The web chat behind a real HTTP server on a port of its own, with handlers that a test scripts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createSystemClock, createSystemIds } from '../../adapters/node/index.ts';
import { createWebchatAdapter, type WebchatAdapter } from '../../adapters/webchat/index.ts';
import { createHttpServer, type HttpServerParts } from '../../src/http/index.ts';
import type { ChannelHandlers, InboundMessage, InboundReceipt } from '../../src/ports/channel.ts';
import type { ChatStore } from '../../src/ports/chat-store.ts';
import { createMemoryChatStore } from '../fakes/memory-chat-store.ts';
import { silentLog } from './silent-log.ts';

export const TOKEN = 'test-token-0123456789abcdef';

/** Handlers that remember what they were given and answer as `message` says. */
export function scriptedHandlers(
  message: (message: InboundMessage) => Promise<InboundReceipt> = async ({ eventId }) => ({
    status: 'admitted',
    sessionKey: 'agent:main:webchat:channel:general',
    runId: `run_${eventId}`,
  }),
): ChannelHandlers & { readonly received: InboundMessage[] } {
  const received: InboundMessage[] = [];
  return {
    received,
    commands: [],
    async message(inbound) {
      received.push(inbound);
      return message(inbound);
    },
    async mayTalk() {
      throw new Error('the web chat has no files to fetch');
    },
    async threadGone() {
      throw new Error('the web chat has no such event');
    },
    async threadArchived() {
      throw new Error('the web chat has no such event');
    },
    async cursors() {
      return [];
    },
    async missed() {
      throw new Error('the web chat has no such event');
    },
    async capabilitiesChanged() {
      throw new Error('the web chat has no such event');
    },
    async bindings() {
      return [];
    },
    async complete() {
      return [];
    },
  };
}

export interface WebchatServer {
  readonly url: string;
  readonly adapter: WebchatAdapter;
  readonly store: ChatStore;
  /** A call with the token; `init.json` becomes the body. */
  call(path: string, init?: RequestInit & { json?: unknown }): Promise<Response>;
  stop(): Promise<void>;
}

export async function startWebchat(
  options: {
    readonly store?: ChatStore;
    readonly handlers?: ChannelHandlers;
    readonly http?: Partial<HttpServerParts>;
  } = {},
): Promise<WebchatServer> {
  const { store = createMemoryChatStore(), handlers = scriptedHandlers() } = options;
  const clock = createSystemClock();
  const adapter = createWebchatAdapter({
    store,
    clock,
    ids: createSystemIds(),
    log: silentLog,
    agentName: 'Skein',
  });
  const server = createHttpServer({
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    isTokenConfigured: false,
    clock,
    log: silentLog,
    readiness: () => ({ isReady: true, components: {} }),
    runTool: async () => ({ status: 'unknown-tool' }),
    routes: [adapter.routes],
    ...options.http,
  });
  const { url } = await server.start();
  await adapter.start(handlers);
  const stop = async () => {
    await adapter.stop();
    await server.stop();
  };
  onTestFinished(stop);
  return {
    url,
    adapter,
    store,
    stop,
    call: (path, { json, ...init } = {}) =>
      fetch(url + path, {
        ...init,
        ...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
        headers: { authorization: `Bearer ${TOKEN}`, ...init.headers },
      }),
  };
}

/** A port that something else is listening on until the test has ended. */
export async function takenPort(): Promise<number> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => other.close(() => resolve())));
  return (other.address() as AddressInfo).port;
}
