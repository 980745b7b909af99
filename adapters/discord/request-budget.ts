/**
 * Counts the requests that Discord answers with "not allowed" or "too many". It shuts out an address that makes 10,000 of
 * them in 10 minutes, for everything, so what is only nice to have stops long before, and all else is put off in time.
 *
 * https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans
 */
import type { Clock } from '../../src/ports/clock.ts';

const WINDOW_MS = 10 * 60_000;
const MAX_WITH_LOSSY_CALLS = 1_000;
const MAX = 8_000;

export interface RequestBudget {
  /** An answer; `scope` is its X-RateLimit-Scope. Limits that others share with us are not held against us. */
  note(status: number, scope: string | null): void;
  /** How long to wait before the next call, in milliseconds; 0 = go ahead. */
  waitMs(isLossy: boolean): number;
}

export function createRequestBudget(clock: Clock): RequestBudget {
  /** When they came, oldest first. */
  let invalidAt: number[] = [];
  return {
    note(status, scope) {
      const isInvalid = status === 401 || status === 403 || (status === 429 && scope !== 'shared');
      if (isInvalid) invalidAt.push(clock.now());
    },
    waitMs(isLossy) {
      const max = isLossy ? MAX_WITH_LOSSY_CALLS : MAX;
      if (invalidAt.length < max) return 0;
      const now = clock.now();
      invalidAt = invalidAt.filter((at) => now - at < WINDOW_MS);
      const oldestTooMany = invalidAt[invalidAt.length - max];
      return oldestTooMany === undefined ? 0 : oldestTooMany + WINDOW_MS - now;
    },
  };
}
