/**
 * Keeps the account connected, for as long as the process lives: asks Discord about the application, connects as it allows,
 * and begins anew with growing pauses when that fails. What cannot come right by itself is said, and tried again seldom.
 */
import { DiscordAPIError, type GatewayDispatchPayload } from 'discord.js';
import { AppError, asError } from '../../../src/errors.ts';
import type { ChannelState } from '../../../src/ports/channel.ts';
import { type Clock, sleep } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { CallDiscord } from '../calls.ts';
import { type ApplicationFacts, askApplication, askIdentifyWait } from './application.ts';
import { type ClientEnd, connectClient, type GatewayClient } from './client.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** Discord shuts out who asks too often with a token that it has refused. */
const REFUSED_WAIT_MS = 15 * 60_000;

const TOKEN_REFUSED =
  'Discord refused the token; put a valid one into DISCORD_BOT_TOKEN or channels.discord, then start again';
const CONTENT_REFUSED =
  'Discord does not grant Message Content; the bot hears mentions, replies and commands only. Turn on “Message ' +
  'Content Intent” in the Developer Portal, then start again';

export interface ConnectionParts {
  readonly token: string;
  readonly apiUrl: string | undefined;
  readonly call: CallDiscord;
  readonly clock: Clock;
  readonly log: Log;
  /** Before the first event of a connection. Must not reject. */
  onApplication(facts: ApplicationFacts): Promise<void>;
  onEvent(event: GatewayDispatchPayload, shard: { readonly id: number; readonly count: number }): void;
}

export interface Connection {
  state(): ChannelState;
  /** Goes on in the background. */
  start(): void;
  /** No event comes afterwards. Idempotent. */
  stop(): Promise<void>;
}

export function createConnection(parts: ConnectionParts): Connection {
  const { token, apiUrl, call, clock, log } = parts;
  const stopping = new AbortController();
  const { signal } = stopping;
  let state: ChannelState = { status: 'connecting' };
  let client: GatewayClient | undefined;
  let isContentRefused = false;
  let failures = 0;
  let life: Promise<void> = Promise.resolve();

  /** Every change is written to the log once. */
  function become(next: ChannelState): void {
    const isNew = next.status !== state.status || next.detail !== state.detail;
    state = next;
    if (!isNew) return;
    if (next.status === 'ready') log.info({}, 'connected to Discord');
    else if (next.detail !== undefined) log.warn({}, next.detail);
  }

  async function pause(waitMs: number): Promise<void> {
    await sleep(clock, waitMs, signal);
  }

  async function failed(error: Error): Promise<void> {
    if (isTokenRefused(error)) return refused();
    const asked = error instanceof AppError ? (error.retryAfterMs ?? 0) : 0;
    const waitMs = Math.max(asked, Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS));
    failures += 1;
    log.debug({ err: error, waitMs }, 'could not connect to Discord');
    become({ status: 'connecting', detail: 'Discord cannot be reached; it is tried again' });
    await pause(waitMs);
  }

  async function refused(): Promise<void> {
    become({ status: 'down', detail: TOKEN_REFUSED });
    await pause(REFUSED_WAIT_MS);
  }

  async function ended(end: ClientEnd, readsContent: boolean): Promise<void> {
    if ('isStopped' in end) return;
    if ('error' in end) return failed(end.error);
    if (end.refused === 'token') return refused();
    if (!readsContent) return failed(new Error('Discord refused the intents'));
    isContentRefused = true;
    log.warn({}, CONTENT_REFUSED);
  }

  async function liveOnce(): Promise<void> {
    const facts = await askApplication(call);
    const readsContent = facts.readsContent && !isContentRefused;
    await parts.onApplication({ ...facts, readsContent });
    const waitMs = await askIdentifyWait(call);
    if (waitMs > 0) {
      const until = new Date(clock.now() + waitMs).toISOString();
      become({ status: 'down', detail: `Discord allows no further connection before ${until}` });
      return pause(waitMs);
    }
    if (signal.aborted) return;
    const connected = connectClient({
      token,
      apiUrl,
      readsContent,
      log,
      onEvent: parts.onEvent,
      onConnected(isConnected) {
        if (isConnected) failures = 0;
        become({ status: isConnected ? 'ready' : 'connecting' });
      },
    });
    client = connected;
    const end = await connected.ended;
    await connected.stop();
    await ended(end, readsContent);
  }

  async function live(): Promise<void> {
    while (!signal.aborted) {
      try {
        await liveOnce();
      } catch (thrown) {
        await failed(asError(thrown));
      }
    }
  }

  return {
    state: () => state,
    start() {
      life = live();
    },
    async stop() {
      stopping.abort();
      await client?.stop();
      await life;
      state = { status: 'down' };
    },
  };
}

function isTokenRefused({ cause }: Error): boolean {
  return cause instanceof DiscordAPIError && cause.status === 401;
}
