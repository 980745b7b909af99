/**
 * What is configured about each model provider, and the addresses at which the well-known ones are reached. Names of
 * providers are the person's own: any OpenAI-compatible server works under any name, as long as it has a `baseUrl`.
 */

export interface ProviderModel {
  readonly id: string;
  readonly contextWindow?: number;
  /** Whether it can see pictures; absent: as its provider's models usually can. */
  readonly takesImages?: boolean;
  /** US dollars per million tokens. */
  readonly cost?: { readonly input: number; readonly output: number; readonly cachedInput?: number };
}

export interface ProviderSettings {
  readonly api: 'openai-chat' | 'offline';
  /** With or without the trailing `/v1`. May be left out for the providers in the table below. */
  readonly baseUrl?: string;
  /** Local servers need none. */
  readonly apiKey?: string;
  /** When it is given and not empty, the provider serves exactly these. */
  readonly models?: readonly ProviderModel[];
}

export type Providers = ReadonlyMap<string, ProviderSettings>;

const WELL_KNOWN: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com/v1',
  openrouter: 'https://openrouter.ai/api/v1',
  ollama: 'http://127.0.0.1:11434/v1',
  lmstudio: 'http://127.0.0.1:1234/v1',
  vllm: 'http://127.0.0.1:8000/v1',
};

/** Where the provider's chat API begins, without a trailing slash; `undefined` when nobody said. */
export function apiUrl(providerId: string, settings: ProviderSettings): string | undefined {
  const given = settings.baseUrl ?? WELL_KNOWN[providerId];
  const trimmed = given?.trim().replace(/\/+$/, '');
  if (!trimmed) return undefined;
  const isBareHost = /^[a-z]+:\/\/[^/]+$/i.test(trimmed);
  return isBareHost ? `${trimmed}/v1` : trimmed;
}

/** The server's own root, above the chat API. */
export function rootUrl(url: string): string {
  return url.replace(/\/v1$/, '');
}
