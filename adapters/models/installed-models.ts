/**
 * Which models a local server has: Ollama tells under `/api/tags`, other OpenAI-compatible servers under `/models`.
 * Throws an AppError `model-unavailable` whose message says what to do.
 */
import { AppError, asError } from '../../src/errors.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { apiUrl, type ProviderSettings, rootUrl } from './providers.ts';
import { redactKey } from './redact-key.ts';

/** A local server answers at once or not at all. */
const ANSWER_MS = 10_000;

interface Asking {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly headers: Record<string, string>;
}

function namesIn(body: unknown): readonly string[] {
  const lists = body as { models?: unknown; data?: unknown } | null;
  const rows = [lists?.models, lists?.data].find(Array.isArray) ?? [];
  return rows
    .map(
      (row: { name?: unknown; model?: unknown; id?: unknown } | null) => row?.name ?? row?.model ?? row?.id,
    )
    .filter((name: unknown): name is string => typeof name === 'string' && name !== '');
}

/** `undefined` when the server has no such page. */
async function namesAt(url: string, asking: Asking): Promise<readonly string[] | undefined> {
  const timeout = new AbortController();
  const cancel = asking.clock.after(ANSWER_MS, () => timeout.abort());
  try {
    const response = await asking.fetch(url, { signal: timeout.signal, headers: asking.headers });
    if (response.status === 404 || response.status === 405) return undefined;
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return namesIn(await response.json());
  } finally {
    cancel();
  }
}

/** At least one, in the server's order. */
export async function installedModels(
  providerId: string,
  settings: ProviderSettings,
  reach: { readonly fetch: typeof fetch; readonly clock: Clock },
): Promise<readonly string[]> {
  const url = apiUrl(providerId, settings);
  if (!url) throw new AppError('model-unavailable', `The provider ${providerId} has no baseUrl.`);
  const headers = settings.apiKey ? { authorization: `Bearer ${settings.apiKey}` } : {};
  const asking = { ...reach, headers: headers as Record<string, string> };
  let names: readonly string[];
  try {
    names =
      (await namesAt(`${rootUrl(url)}/api/tags`, asking)) ?? (await namesAt(`${url}/models`, asking)) ?? [];
  } catch (thrown) {
    const why = causeOf(thrown);
    throw new AppError(
      'model-unavailable',
      redactKey(
        `Could not ask ${providerId} at ${rootUrl(url)} for its models (${why}). Is it running?`,
        settings.apiKey,
      ),
      { cause: thrown },
    );
  }
  if (names.length > 0) return names;
  throw new AppError(
    'model-unavailable',
    redactKey(
      `${providerId} at ${rootUrl(url)} has no model installed. Install one (with Ollama: "ollama pull llama3.2") or name one in agents.defaults.model.`,
      settings.apiKey,
    ),
  );
}

function causeOf(thrown: unknown): string {
  const error = asError(thrown);
  if (error.name === 'AbortError') return 'no answer';
  const cause = error.cause as { code?: unknown } | undefined;
  return typeof cause?.code === 'string' ? cause.code : error.message;
}
