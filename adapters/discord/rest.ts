/**
 * How discord.js is to talk to Discord: it keeps to the limits that Discord states and waits for short ones itself; longer
 * waits and every failure come back to us, since retrying is the outbox's business.
 */
import type { RESTOptions } from 'discord.js';

/** For one attempt; longer ones have an unknown outcome. */
const TIMEOUT_MS = 15_000;
/** A call that would have to wait longer for a limit is given back. */
const LONGEST_WAIT_MS = 10_000;

/** `apiUrl`: another base address than Discord's, without the version. */
export function restOptions(apiUrl: string | undefined): Partial<RESTOptions> {
  return {
    ...(apiUrl !== undefined && { api: apiUrl.replace(/\/+$/, '') }),
    retries: 0,
    timeout: TIMEOUT_MS,
    rejectOnRateLimit: ({ timeToReset, retryAfter, sublimitTimeout }) =>
      Math.max(timeToReset, retryAfter, sublimitTimeout) > LONGEST_WAIT_MS,
  };
}
