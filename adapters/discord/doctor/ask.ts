/**
 * Questions to Discord's REST interface, with the bot's token. Only ever reads. An answer is a value: whatever goes wrong
 * is told in words, since every check wants to say it.
 */
import { DiscordAPIError, HTTPError, RateLimitError, REST, type RouteLike } from 'discord.js';
import type { z } from 'zod';
import { asError } from '../../../src/errors.ts';
import { restOptions } from '../rest.ts';

/** Discord answers within a second; whoever looks for a fault does not want to wait long. */
const ANSWER_MS = 8_000;

export type Answer<T> =
  | { readonly kind: 'answer'; readonly value: T }
  /** 401: the token is not valid. */
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'refused'; readonly problem: string };

export interface Asking {
  readonly token: string;
  /** The REST base, without version; absent: Discord's own. */
  readonly apiUrl?: string;
}

/** Fails fast: nothing is tried twice. */
export function createAsker({ token, apiUrl }: Asking): REST {
  return new REST({
    ...restOptions(apiUrl),
    timeout: ANSWER_MS,
    // A few questions leave nothing to sweep up.
    hashSweepInterval: 0,
    handlerSweepInterval: 0,
  }).setToken(token);
}

/** Never rejects. */
export async function ask<S extends z.ZodType>(
  rest: Pick<REST, 'get'>,
  route: RouteLike,
  schema: S,
): Promise<Answer<z.output<S>>> {
  let body: unknown;
  try {
    body = await rest.get(route);
  } catch (thrown) {
    return refusal(thrown);
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return { kind: 'answer', value: parsed.data };
  return { kind: 'refused', problem: `what answers at ${route} is not Discord's interface` };
}

function refusal(thrown: unknown): Answer<never> {
  if (thrown instanceof DiscordAPIError && thrown.status === 401) return { kind: 'unauthorized' };
  return { kind: 'refused', problem: problemOf(thrown) };
}

function problemOf(thrown: unknown): string {
  const error = asError(thrown);
  if (error instanceof DiscordAPIError)
    return `Discord answered ${error.status}: ${firstLine(error.message)}`;
  if (error instanceof HTTPError) return `Discord answered ${error.status}`;
  if (error instanceof RateLimitError)
    return `Discord asks to wait ${Math.ceil(error.timeToReset / 1_000)} s`;
  return `Discord cannot be reached (${reasonOf(error)})`;
}

function reasonOf(error: Error): string {
  if (error.name === 'AbortError') return 'no answer came';
  const { code } = (error.cause ?? error) as { readonly code?: unknown };
  return typeof code === 'string' ? code : firstLine(error.message);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!;
}
