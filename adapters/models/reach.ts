/** Whether a provider can be reached with what is configured, without asking a model anything: it lists what it has. */
import { asError } from '../../src/errors.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { apiUrl, type ProviderSettings } from './providers.ts';
import { redactKey } from './redact-key.ts';

const ANSWER_MS = 8_000;

export type Reach =
  /** `models`: ids, absent where the server does not tell them. */
  | { readonly kind: 'reached'; readonly models?: readonly string[] }
  | { readonly kind: 'key-refused' }
  | { readonly kind: 'unreachable'; readonly problem: string };

/** One request, `GET <baseUrl>/models`. Never rejects. */
export async function reachProvider(
  providerId: string,
  settings: ProviderSettings,
  clock: Clock,
): Promise<Reach> {
  const url = apiUrl(providerId, settings);
  if (url === undefined) return { kind: 'unreachable', problem: 'it has no baseUrl' };
  const timeout = new AbortController();
  const cancel = clock.after(ANSWER_MS, () => timeout.abort());
  const headers: Record<string, string> = settings.apiKey
    ? { authorization: `Bearer ${settings.apiKey}` }
    : {};
  try {
    const response = await fetch(`${url}/models`, { headers, signal: timeout.signal });
    return await verdict(response);
  } catch (thrown) {
    return { kind: 'unreachable', problem: redactKey(reasonOf(asError(thrown)), settings.apiKey) };
  } finally {
    cancel();
  }
}

async function verdict(response: Response): Promise<Reach> {
  if (response.status === 401 || response.status === 403) return { kind: 'key-refused' };
  // Not every server has that page.
  if (response.status === 404 || response.status === 405) return { kind: 'reached' };
  if (!response.ok) return { kind: 'unreachable', problem: `it answered ${response.status}` };
  const { data } = (await response.json()) as { readonly data?: unknown };
  if (!Array.isArray(data)) return { kind: 'reached' };
  const ids = data.map((row: { readonly id?: unknown } | null) => row?.id);
  return { kind: 'reached', models: ids.filter((id) => typeof id === 'string') };
}

function reasonOf(error: Error): string {
  if (error.name === 'AbortError') return 'no answer';
  const { code } = (error.cause ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : error.message;
}
