/**
 * The one way to Discord's REST interface: a call is held back when the budget says so, its answer is checked, and what goes
 * wrong comes out as a channel error. discord.js keeps the rate limits; nothing is repeated here.
 */
import {
  DiscordAPIError,
  type RawFile,
  type REST,
  RESTEvents,
  type RequestMethod,
  type RouteLike,
} from 'discord.js';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { asChannelError } from './errors.ts';
import { createRequestBudget } from './request-budget.ts';
import { wellFormed } from './well-formed.ts';

export interface DiscordCall<Answer> {
  /** For the log and the operator, such as `send`. */
  readonly what: string;
  readonly method: `${RequestMethod}`;
  readonly route: RouteLike;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly files?: RawFile[];
  readonly answer: z.ZodType<Answer>;
  /** Only nice to have: given up first when too much is being refused. */
  readonly isLossy?: boolean;
  /** The route itself shows who calls, as those of interactions do; our limits do not count there. */
  readonly isTokenless?: boolean;
}

/** Rejects with a channel error only. */
export type CallDiscord = <Answer>(call: DiscordCall<Answer>) => Promise<Answer>;

/** For calls whose answer does not matter. */
export const anyAnswer = z.unknown();

export interface DiscordCalls {
  readonly call: CallDiscord;
  /** Stops watching the answers. */
  stop(): void;
}

/** After a token was refused, so long no call is made with it. */
const TOKEN_REFUSED_MS = 30_000;

/**
 * `token`: the bot's own. discord.js forgets it for good when a call is refused for it, be it by something in between: later
 * it is tried again.
 */
export function createDiscordCalls(rest: REST, token: string, clock: Clock): DiscordCalls {
  const budget = createRequestBudget(clock);
  let refusedAt = Number.NEGATIVE_INFINITY;
  const watch = (_request: unknown, { status, headers }: { status: number; headers: Headers }) =>
    budget.note(status, headers.get('x-ratelimit-scope'));
  rest.on(RESTEvents.Response, watch);

  async function call<Answer>(made: DiscordCall<Answer>): Promise<Answer> {
    const { what, route, query, body, files, answer, isTokenless } = made;
    const retryAfterMs = budget.waitMs(made.isLossy ?? false);
    if (retryAfterMs > 0) {
      const message = `Too many calls were refused lately; “${what}” is put off for ${retryAfterMs} ms.`;
      throw new AppError('channel-rate-limited', message, { retryAfterMs });
    }
    try {
      if (clock.now() - refusedAt >= TOKEN_REFUSED_MS) rest.setToken(token);
      const raw = await rest.request({
        method: made.method as RequestMethod,
        fullRoute: route,
        ...(query && { query: new URLSearchParams(query) }),
        ...(body && { body: wellFormed(body) }),
        ...(files && { files }),
        ...(isTokenless && { auth: false }),
      });
      return answer.parse(raw);
    } catch (thrown) {
      if (!isTokenless && thrown instanceof DiscordAPIError && thrown.status === 401) refusedAt = clock.now();
      throw asChannelError(thrown, what);
    }
  }

  return { call, stop: () => void rest.off(RESTEvents.Response, watch) };
}
