/** Parts of the composition that a gateway and a worker make in the same way, from the configuration. */
import { createEmbeddedRunQueue, createInProcessLive } from '../adapters/embedded/index.ts';
import { createModels } from '../adapters/models/index.ts';
import { createPinoLog } from '../adapters/node/index.ts';
import type { Config } from './config/load.ts';
import type { Clock } from './ports/clock.ts';
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
              { ...provider, api: provider.api, models: provider.models.map(modelPrices) },
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

function modelPrices(model: Config['providers'][number]['models'][number]) {
  const { id, contextWindow, cost } = model;
  return {
    id,
    ...(contextWindow !== undefined && { contextWindow }),
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
  start(): Promise<void>;
  close(): Promise<void>;
}

/** In memory; or through Redis, where one is configured. */
export async function createSignals(_config: Config, _clock: Clock, log: Log): Promise<Signals> {
  const queue = createEmbeddedRunQueue({ log });
  return {
    queue,
    live: createInProcessLive({ log }),
    start: () => Promise.resolve(),
    close: () => queue.close(),
  };
}
