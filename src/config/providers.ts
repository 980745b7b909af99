/**
 * Model providers: the built-in ones, changed or extended by `models.providers`, with their keys. Only providers that
 * can be used or were named somewhere are listed.
 */
import { DEFAULT_MODELS, type DefaultModel, OFFLINE_MODEL } from './default-models.ts';
import type { Environment } from './environment.ts';
import type { ConfigFile } from './schema/root.ts';

export type ProviderApi = 'openai-chat' | 'openai-responses' | 'anthropic' | 'google' | 'offline';

export interface ProviderModel {
  readonly id: string;
  readonly name?: string;
  /** In tokens. */
  readonly contextWindow?: number;
  /** What it takes in, such as `text` and `image`. */
  readonly input?: readonly string[];
  /** US dollars for a million tokens of each class. */
  readonly cost?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
}

export interface ProviderSettings {
  readonly id: string;
  readonly api: ProviderApi;
  /** Without a slash at its end. Absent: the one that the API's own client knows. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Models that are described in the configuration; others of the provider may be used as well. */
  readonly models: readonly ProviderModel[];
}

interface BuiltIn {
  readonly api: ProviderApi;
  readonly baseUrl?: string;
  readonly keyVariable?: 'OPENAI_API_KEY' | 'OPENROUTER_API_KEY' | 'ANTHROPIC_API_KEY' | 'GEMINI_API_KEY';
}

const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
  openai: { api: 'openai-chat', baseUrl: 'https://api.openai.com/v1', keyVariable: 'OPENAI_API_KEY' },
  openrouter: {
    api: 'openai-chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
  },
  ollama: { api: 'openai-chat', baseUrl: 'http://127.0.0.1:11434/v1' },
  lmstudio: { api: 'openai-chat', baseUrl: 'http://127.0.0.1:1234/v1' },
  vllm: { api: 'openai-chat', baseUrl: 'http://127.0.0.1:8000/v1' },
  anthropic: { api: 'anthropic', keyVariable: 'ANTHROPIC_API_KEY' },
  google: { api: 'google', keyVariable: 'GEMINI_API_KEY' },
  offline: { api: 'offline' },
};

/** Ids that a model reference may begin with. */
export function knownProviders(file: ConfigFile): readonly string[] {
  return [...new Set([...Object.keys(BUILT_IN), ...Object.keys(file.models.providers)])];
}

/** The variable that holds the key of a built-in provider. */
export function keyVariable(provider: string): string | undefined {
  return BUILT_IN[provider]?.keyVariable;
}

/** True when the provider is one that needs neither a `baseUrl` nor an `api` of its own. */
export function isBuiltIn(provider: string): boolean {
  return Object.hasOwn(BUILT_IN, provider);
}

/** Whether this version has a client for the provider's API. */
export function isSpoken({ api }: ProviderSettings): boolean {
  return api === 'openai-chat' || api === 'offline';
}

/** `named`: providers that model references of the configuration begin with. */
export function resolveProviders(
  file: ConfigFile,
  environment: Environment,
  named: readonly string[],
): readonly ProviderSettings[] {
  return knownProviders(file)
    .map((id) => resolveProvider(id, file, environment))
    .filter(({ id, apiKey }) => {
      const isWanted = id === OFFLINE_MODEL.provider || Object.hasOwn(file.models.providers, id);
      const isOllama = id === 'ollama' && environment.OLLAMA_BASE_URL !== undefined;
      return isWanted || isOllama || apiKey !== undefined || named.includes(id);
    });
}

function resolveProvider(id: string, file: ConfigFile, environment: Environment): ProviderSettings {
  const builtIn: Partial<BuiltIn> = BUILT_IN[id] ?? {};
  const own = file.models.providers[id];
  const ollamaUrl = id === 'ollama' ? environment.OLLAMA_BASE_URL : undefined;
  const baseUrl = own?.baseUrl ?? (ollamaUrl && openAiPath(ollamaUrl)) ?? builtIn.baseUrl;
  const apiKey = own?.apiKey ?? (builtIn.keyVariable && environment[builtIn.keyVariable]);
  return {
    id,
    api: own?.api ?? builtIn.api ?? 'openai-chat',
    ...(baseUrl !== undefined && { baseUrl: baseUrl.replace(/\/+$/, '') }),
    ...(apiKey !== undefined && { apiKey }),
    models: own?.models ?? [],
  };
}

/** People give the server's own address; its OpenAI-compatible API lives below `/v1`. */
function openAiPath(url: string): string {
  const bare = url.replace(/\/+$/, '');
  return bare.endsWith('/v1') ? bare : `${bare}/v1`;
}

/** The first row of the table whose provider has what it needs, else the stand-in. */
export function firstUsableModel(providers: readonly ProviderSettings[]): DefaultModel {
  const usable = DEFAULT_MODELS.find((row) =>
    providers.some(
      ({ id, apiKey }) => id === row.provider && (keyVariable(id) === undefined || apiKey !== undefined),
    ),
  );
  return usable ?? OFFLINE_MODEL;
}
