/**
 * Language models for the services: finds the provider of a reference and hands the call to it. Nothing here does I/O
 * until a model is asked, and the SDK is loaded at the first call of a real model.
 */
import { AppError } from '../../src/errors.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import type { ModelDescription, ModelEvent, ModelRequest, Models } from '../../src/ports/model.ts';
import { installedModels } from './installed-models.ts';
import { streamOffline } from './offline/stream.ts';
import { createOpenAiChat, type OpenAiChat } from './openai-chat/index.ts';
import type { ProviderSettings, Providers } from './providers.ts';
import { describeResolved, OFFLINE_MODEL, OFFLINE_PROVIDER, resolveModel } from './resolve-model.ts';

export type { ProviderModel, ProviderSettings } from './providers.ts';
export { type Reach, reachProvider } from './reach.ts';

export interface ModelsSetup {
  /** By the name that stands before the slash of a reference. The offline model is always there. */
  readonly providers: ReadonlyMap<string, ProviderSettings>;
  /** `<provider>/<model>`, or `<provider>` alone for the first model it has. Absent: the offline model. */
  readonly defaultModel?: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch?: typeof fetch;
}

/**
 * `defaultModel()` rejects with an AppError: `model-unavailable` (retryable) when the provider had to be asked and could
 * not tell, `config-invalid` when no provider serves what is configured. What the provider told is remembered.
 */
export function createModels(setup: ModelsSetup): Models {
  const { clock, log } = setup;
  const fetchNow = setup.fetch ?? fetch;
  const providers: Providers = new Map([[OFFLINE_PROVIDER, { api: 'offline' }], ...setup.providers]);
  const wanted = setup.defaultModel?.trim() || `${OFFLINE_PROVIDER}/${OFFLINE_MODEL}`;
  const defaultProvider = providers.has(wanted) ? wanted : (wanted.split('/')[0] ?? OFFLINE_PROVIDER);
  const chats = new Map<string, OpenAiChat>();
  let found: ModelDescription | undefined;
  let installed: readonly string[] = [];

  const describe = (ref: string): ModelDescription | undefined => {
    const model = resolveModel(ref, defaultProvider, providers);
    return model && describeResolved(model);
  };

  const chatOf = (providerId: string, settings: ProviderSettings): OpenAiChat => {
    const known = chats.get(providerId);
    if (known) return known;
    const chat = createOpenAiChat({ providerId, settings, clock, log, fetch: fetchNow });
    chats.set(providerId, chat);
    return chat;
  };

  /** A reference; a provider whose models are not listed is asked for those that it has. */
  async function findDefault(): Promise<string> {
    const provider = providers.get(wanted);
    if (!provider) return wanted;
    if (provider.api === 'offline') return `${wanted}/${OFFLINE_MODEL}`;
    const listed = provider.models?.[0];
    if (listed) return `${wanted}/${listed.id}`;
    const names = await installedModels(wanted, provider, { fetch: fetchNow, clock });
    installed = names.map((name) => `${wanted}/${name}`);
    return installed[0]!;
  }

  return {
    describe,
    async defaultModel() {
      found ??= known(describe(await findDefault()), wanted);
      return found;
    },
    known: () => [...new Set([...(found ? [found.ref] : []), ...listedModels(providers), ...installed])],
    stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
      const model = resolveModel(request.model, defaultProvider, providers);
      if (!model) return unknownModel(request.model);
      if (model.provider.api === 'offline') return streamOffline(request, clock, signal);
      return chatOf(model.providerId, model.provider).stream(model.modelId, request, signal);
    },
  };
}

function listedModels(providers: Providers): readonly string[] {
  return [...providers].flatMap(([id, { api, models = [] }]) =>
    api === 'offline' ? [`${id}/${OFFLINE_MODEL}`] : models.map((model) => `${id}/${model.id}`),
  );
}

function known(model: ModelDescription | undefined, wanted: string): ModelDescription {
  if (model) return model;
  throw new AppError('config-invalid', `No configured provider serves the default model "${wanted}".`);
}

async function* unknownModel(ref: string): AsyncIterable<ModelEvent> {
  const message = `No configured provider serves the model "${ref}".`;
  yield { type: 'failure', failure: { class: 'model-not-found', message } };
}
