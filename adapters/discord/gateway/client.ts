/**
 * One connection to the gateway through discord.js, which keeps it up by itself: heartbeats, resuming, shards. It ends only
 * when Discord refuses it for good. Nothing of messages or members is kept in memory.
 */
import {
  Client,
  Events,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  GatewayIntentBits,
  Options,
} from 'discord.js';
import { asError } from '../../../src/errors.ts';
import type { Log } from '../../../src/ports/log.ts';
import { restOptions } from '../rest.ts';
import { guardPackets, steadySharding } from './sharding.ts';

const INTENTS = [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages];
/** https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes */
const REFUSALS: Readonly<Partial<Record<number, Refusal>>> = {
  4004: 'token',
  4013: 'intents',
  4014: 'intents',
};
/** How long a shard waits for the servers that are away before it counts as there. */
const WAIT_FOR_GUILDS_MS = 1_000;

type Refusal = 'token' | 'intents';

export type ClientEnd =
  | { readonly refused: Refusal }
  | { readonly error: Error }
  | { readonly isStopped: true };

export interface ClientParts {
  readonly token: string;
  readonly apiUrl: string | undefined;
  /** Asks for the text of messages that do not address the bot. */
  readonly readsContent: boolean;
  readonly log: Log;
  /** `shards`: how many there are. */
  onEvent(event: GatewayDispatchPayload, shard: { readonly id: number; readonly count: number }): void;
  /** Whether every shard is connected. */
  onConnected(isConnected: boolean): void;
}

export interface GatewayClient {
  /** Never rejects. */
  readonly ended: Promise<ClientEnd>;
  /** Idempotent. */
  stop(): Promise<void>;
}

export function connectClient(parts: ClientParts): GatewayClient {
  const { token, apiUrl, readsContent, log } = parts;
  const stopping = new AbortController();
  const { promise: ended, resolve: end } = Promise.withResolvers<ClientEnd>();
  const onUnread = (err: Error) => log.warn({ err }, 'discord.js could not read what the gateway sent');
  const client = new Client({
    intents: readsContent ? [...INTENTS, GatewayIntentBits.MessageContent] : INTENTS,
    shards: 'auto',
    rest: restOptions(apiUrl),
    ws: steadySharding(stopping.signal, onUnread),
    waitGuildTimeout: WAIT_FOR_GUILDS_MS,
    makeCache: Options.cacheWithLimits(SMALL_CACHES),
  });
  guardPackets(client, onUnread);
  const connected = new Set<number>();
  const tell = () => parts.onConnected(connected.size > 0 && connected.size === client.ws.shards.size);

  client.on(Events.Raw, (event: GatewayDispatchPayload, id: number) => {
    if (stopping.signal.aborted) return;
    parts.onEvent(event, { id, count: client.ws.shards.size });
    if (event.t !== GatewayDispatchEvents.Ready && event.t !== GatewayDispatchEvents.Resumed) return;
    connected.add(id);
    tell();
  });
  client.on(Events.ShardReconnecting, (id) => {
    connected.delete(id);
    tell();
  });
  client.on(Events.ShardDisconnect, ({ code }) => {
    const refused = REFUSALS[code];
    end(refused ? { refused } : { error: new Error(`the gateway closed with code ${code}`) });
  });
  client.on(Events.ShardError, (error) => log.debug({ err: error }, 'the gateway of Discord stumbled'));
  client.on(Events.Error, (error) => log.error({ err: error }, 'the client of Discord failed'));
  client.login(token).catch((thrown: unknown) => end(loginEnd(thrown)));

  return {
    ended,
    async stop() {
      end({ isStopped: true });
      if (stopping.signal.aborted) return;
      stopping.abort();
      await client.destroy();
      client.rest.clearHandlerSweeper();
      client.rest.clearHashSweeper();
    },
  };
}

function loginEnd(thrown: unknown): ClientEnd {
  const error = asError(thrown);
  if ('code' in error && error.code === 'TokenInvalid') return { refused: 'token' };
  return /intents/i.test(error.message) ? { refused: 'intents' } : { error };
}

const SMALL_CACHES = {
  ...Options.DefaultMakeCacheSettings,
  ApplicationCommandManager: 0,
  AutoModerationRuleManager: 0,
  BaseGuildEmojiManager: 0,
  DMMessageManager: 0,
  GuildBanManager: 0,
  GuildEmojiManager: 0,
  GuildInviteManager: 0,
  GuildMemberManager: { maxSize: 0, keepOverLimit: isOurs },
  GuildMessageManager: 0,
  GuildScheduledEventManager: 0,
  GuildStickerManager: 0,
  MessageManager: 0,
  PresenceManager: 0,
  ReactionManager: 0,
  ReactionUserManager: 0,
  StageInstanceManager: 0,
  ThreadMemberManager: 0,
  UserManager: { maxSize: 0, keepOverLimit: isOurs },
  VoiceStateManager: 0,
};

function isOurs({ id, client }: { readonly id: string; readonly client: Client }): boolean {
  return id === client.user?.id;
}
