/** Parts of the composition that a gateway and a worker make in the same way, from the configuration. */
import { createEmbeddedRunQueue, createInProcessLive } from '../adapters/embedded/index.ts';
import { createModels } from '../adapters/models/index.ts';
import { createPinoLog } from '../adapters/node/index.ts';
import { accessRules } from './config/access-rules.ts';
import { type DiscordAccount, discordAccounts } from './config/discord-accounts.ts';
import type { Config } from './config/load.ts';
import { rulesAt } from './core/access-rules.ts';
import type { Address } from './core/address.ts';
import type { PlaceFacts } from './core/message.ts';
import type { AdapterMemory } from './ports/adapter-memory.ts';
import type { ChannelAdapter } from './ports/channel.ts';
import { type Clock, sleep } from './ports/clock.ts';
import type { Ids } from './ports/ids.ts';
import type { Live } from './ports/live.ts';
import type { Log } from './ports/log.ts';
import type { ModelDescription, Models } from './ports/model.ts';
import type { RunQueue } from './ports/run-queue.ts';

/** `token`: the access token, which must not be written either. */
export function processLog(config: Config, token?: string): Log {
  return createPinoLog({
    level: config.logLevel,
    secrets: [...config.secrets, ...(token === undefined ? [] : [token])],
    destination: process.stderr,
    isForPeople: process.stderr.isTTY === true,
  });
}

export function configuredModels(config: Config, clock: Clock, log: Log): Models {
  const providers = new Map(
    config.providers.flatMap((provider) =>
      provider.api === 'openai-chat' || provider.api === 'offline'
        ? [
            [
              provider.id,
              { ...provider, api: provider.api, models: provider.models.map(describedModel) },
            ] as const,
          ]
        : [],
    ),
  );
  const { provider, model } = config.defaultModel;
  return createModels({
    providers,
    defaultModel: model === undefined ? provider : `${provider}/${model}`,
    clock,
    log,
  });
}

function describedModel(model: Config['providers'][number]['models'][number]) {
  const { id, contextWindow, input, cost } = model;
  return {
    id,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(input && { takesImages: input.includes('image') }),
    ...(cost && {
      cost: {
        input: cost.input,
        output: cost.output,
        ...(cost.cacheRead !== undefined && { cachedInput: cost.cacheRead }),
      },
    }),
  };
}

/** Keeps in view which model is used by default, without asking a provider that has not been asked. */
export function rememberDefault(
  models: Models,
  config: Config,
): { models: Models; defaultModel(): ModelDescription | undefined } {
  const { provider, model } = config.defaultModel;
  let known = model === undefined ? undefined : models.describe(`${provider}/${model}`);
  return {
    models: {
      ...models,
      defaultModel: async () => {
        known = await models.defaultModel();
        return known;
      },
    },
    defaultModel: () => known,
  };
}

/** Queue and live signals of a process, with what they hold open. */
export interface Signals {
  readonly queue: RunQueue;
  readonly live: Live;
  /** Component → state in one word, or what an operator should know of it. */
  health(): Readonly<Record<string, string>>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** In memory; or through Redis, where one is configured. Redis may be away: work is admitted all the same. */
export async function createSignals(config: Config, clock: Clock, ids: Ids, log: Log): Promise<Signals> {
  const local = createInProcessLive({ log });
  const { redisUrl: url } = config;
  if (url !== undefined) {
    return createRedisSignals({ url, prefix: config.queue.prefix, local, clock, ids, log });
  }
  const queue = createEmbeddedRunQueue({ log });
  return {
    queue,
    live: local,
    health: () => ({ queue: 'ready' }),
    start: () => Promise.resolve(),
    close: () => queue.close(),
  };
}

/** How long a start waits to hear from Redis. */
const REDIS_PATIENCE_MS = 3_000;

interface RedisParts {
  readonly url: string;
  readonly prefix: string;
  readonly local: Live;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

async function createRedisSignals(parts: RedisParts): Promise<Signals> {
  const { checkRedis, createBullRunQueue, createRedisLive } = await import('../adapters/bullmq/index.ts');
  const { url } = parts;
  const queue = createBullRunQueue(parts);
  const live = createRedisLive(parts);
  return {
    queue,
    live,
    health: () => {
      const { state, problem } = queue.health();
      return { queue: problem === undefined ? state : `${state}: ${problem}` };
    },
    async start() {
      // Refuses a server that is too old; anything else the queue says by itself, and goes on saying.
      const started = Promise.all([checkRedis(url), live.start()]);
      // One that hangs is told of by the queue; nothing else waits for it.
      started.catch(() => undefined);
      const patience = new AbortController();
      try {
        await Promise.race([started, sleep(parts.clock, REDIS_PATIENCE_MS, patience.signal)]);
      } finally {
        patience.abort();
      }
    },
    async close() {
      await queue.close();
      await live.close();
    },
  };
}

/** What an adapter is given to remember things in. */
type MemoryOf = (of: { readonly channel: string; readonly account: string }) => AdapterMemory;

/** The accounts of chat platforms that the configuration has tokens for; a platform without one is not even loaded. */
export async function configuredChannels(
  config: Config,
  memoryOf: MemoryOf,
  clock: Clock,
  log: Log,
): Promise<readonly ChannelAdapter[]> {
  const accounts = discordAccounts(config);
  if (accounts.every(({ token }) => token === undefined)) return [];
  const { createDiscordAdapter } = await import('../adapters/discord/index.ts');
  return accounts.flatMap(({ token, ...account }) =>
    token === undefined
      ? []
      : [
          createDiscordAdapter({
            ...discordParts(config, account),
            token,
            memory: memoryOf(at(account)),
            clock,
            log,
          }),
        ],
  );
}

function at({ account }: Pick<DiscordAccount, 'account'>) {
  return { channel: 'discord', account };
}

function discordParts(config: Config, settings: Omit<DiscordAccount, 'token'>) {
  const { account, apiUrl, streaming, slashCommand, commands } = settings;
  const rules = accessRules(config, 'discord', account);
  const { native } = config.commands;
  return {
    account,
    ...(apiUrl !== undefined && { apiUrl }),
    streaming: streaming ?? 'partial',
    commands: {
      isNative: native !== false,
      isEphemeral: slashCommand?.ephemeral ?? true,
      ...(commands?.guilds && { guilds: commands.guilds }),
    },
    hearsUnaddressed: (address: Address, place: PlaceFacts) =>
      !rulesAt(rules, address, place).requiresMention,
  };
}
