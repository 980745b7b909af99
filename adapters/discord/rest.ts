/**
 * How discord.js is to talk to Discord: it keeps to the limits that Discord states and waits for short ones itself; longer
 * waits and every failure come back to us, since retrying is the outbox's business.
 */
import { DefaultRestOptions, type RESTOptions } from 'discord.js';

/** For one attempt; longer ones have an unknown outcome. */
const TIMEOUT_MS = 15_000;
/** A call that would have to wait longer for a limit is given back. */
const LONGEST_WAIT_MS = 10_000;

/** Whatever an answer says, a limit is not believed to last longer; discord.js would keep to it until the process ends. */
const LONGEST_LIMIT_S = 3_600;
const LIMIT_HEADERS = ['retry-after', 'x-ratelimit-reset-after'];

/** `apiUrl`: another base address than Discord's, without the version. */
export function restOptions(apiUrl: string | undefined): Partial<RESTOptions> {
  return {
    ...(apiUrl !== undefined && { api: apiUrl.replace(/\/+$/, '') }),
    retries: 0,
    timeout: TIMEOUT_MS,
    makeRequest: requestWithin,
    rejectOnRateLimit: ({ timeToReset, retryAfter, sublimitTimeout }) =>
      Math.max(timeToReset, retryAfter, sublimitTimeout) > LONGEST_WAIT_MS,
  };
}

const requestWithin: RESTOptions['makeRequest'] = async (url, init) => {
  const response = await DefaultRestOptions.makeRequest(url, init);
  for (const name of LIMIT_HEADERS) {
    if (Number(response.headers.get(name)) > LONGEST_LIMIT_S)
      response.headers.set(name, String(LONGEST_LIMIT_S));
  }
  return response;
};
