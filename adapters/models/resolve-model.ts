/**
 * From what a person or a model wrote to a provider and one of its models. Pure: whether the provider really has the
 * model shows at the first call, unless its models are listed.
 */
import type { ModelDescription } from '../../src/ports/model.ts';
import type { ProviderModel, ProviderSettings, Providers } from './providers.ts';

export const OFFLINE_PROVIDER = 'offline';
export const OFFLINE_MODEL = 'stand-in';

export interface ResolvedModel {
  readonly providerId: string;
  readonly provider: ProviderSettings;
  readonly modelId: string;
  readonly listed?: ProviderModel;
}

function inProvider(providerId: string, modelId: string, providers: Providers): ResolvedModel | undefined {
  const provider = providers.get(providerId);
  if (!provider || modelId === '' || /\s/.test(modelId)) return undefined;
  if (provider.api === 'offline' && modelId !== OFFLINE_MODEL) return undefined;
  const listed = provider.models?.find((model) => model.id === modelId);
  if (provider.models?.length && !listed) return undefined;
  return { providerId, provider, modelId, ...(listed && { listed }) };
}

/** Model names may hold slashes themselves (`openrouter/vendor/model`): the provider is what stands before the first. */
export function resolveModel(
  ref: string,
  defaultProvider: string,
  providers: Providers,
): ResolvedModel | undefined {
  const written = ref.trim();
  const slash = written.indexOf('/');
  if (slash === -1) return inProvider(defaultProvider, written, providers);
  const named = inProvider(written.slice(0, slash), written.slice(slash + 1), providers);
  if (named) return named;
  const isListed = providers.get(defaultProvider)?.models?.some((model) => model.id === written);
  return isListed ? inProvider(defaultProvider, written, providers) : undefined;
}

/** Providers whose models can mostly see; on a server of one's own most cannot. */
const SEEING: ReadonlySet<string> = new Set(['openai', 'openrouter']);

function seesByDefault({ provider, providerId }: ResolvedModel): boolean {
  return provider.api === 'offline' || SEEING.has(providerId);
}

export function describeResolved(model: ResolvedModel): ModelDescription {
  return {
    ref: `${model.providerId}/${model.modelId}`,
    isOffline: model.provider.api === 'offline',
    takesImages: model.listed?.takesImages ?? seesByDefault(model),
    ...(model.listed?.cost && { cost: model.listed.cost }),
  };
}
