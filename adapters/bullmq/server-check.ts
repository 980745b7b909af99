/**
 * Whether a Redis server is fit to carry the queue: new enough, and told never to throw keys away. Asks `INFO` only, since
 * hosted servers often forbid `CONFIG`.
 */
import { AppError, asError } from '../../src/errors.ts';
import { createRedisClient, parseRedisUrl, type RedisClient } from './redis-client.ts';

const LOWEST_VERSION = [6, 2] as const;

export type RedisCheck =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly problem: string;
      /** Nobody answered; otherwise it is there, but hardly as it should be. */
      readonly isAway?: boolean;
    };

/**
 * Connects once and looks. `ok: false` is something an operator should know while Skein runs on (not reachable now, wrong
 * eviction policy, settings hidden); a server that is too old is refused with AppError `queue-unusable`. Takes at most
 * a few seconds, and leaves no connection behind.
 */
export async function checkRedis(url: string): Promise<RedisCheck> {
  const { label } = parseRedisUrl(url);
  const client = createRedisClient(url, 'at-once', () => undefined);
  try {
    await firstAttempt(client);
  } catch (thrown) {
    client.disconnect();
    const problem = `Redis at ${label} cannot be reached (${asError(thrown).message || 'no answer'}); work waits until it is there`;
    return { ok: false, problem, isAway: true };
  }
  try {
    return await inspectServer(client);
  } finally {
    client.disconnect();
  }
}

/** The same for a connection that is ready. */
export async function inspectServer(client: RedisClient): Promise<RedisCheck> {
  let info: ReadonlyMap<string, string>;
  try {
    info = parseInfo(await client.info());
  } catch (thrown) {
    const problem = `Redis does not say its version and settings (${asError(thrown).message}); it must be ${LOWEST_VERSION.join('.')} or newer with maxmemory-policy noeviction`;
    return { ok: false, problem };
  }
  const version = info.get('redis_version');
  if (version !== undefined && isTooOld(version)) {
    const needed = LOWEST_VERSION.join('.');
    throw new AppError('queue-unusable', `Redis is ${version}; ${needed} or newer is needed: update it`);
  }
  const policy = info.get('maxmemory_policy');
  if (policy === undefined) {
    return { ok: false, problem: 'Redis hides its maxmemory-policy; make sure that it is noeviction' };
  }
  if (policy !== 'noeviction') {
    const problem = `Redis has maxmemory-policy ${policy} and may throw wakes away; set it to noeviction`;
    return { ok: false, problem };
  }
  return { ok: true };
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < LOWEST_VERSION[0] || (major === LOWEST_VERSION[0] && minor < LOWEST_VERSION[1]);
}

/** Lines of `name:value`. */
export function parseInfo(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(/\r?\n/).map((line) => /^([^#:]+):(.*)$/.exec(line));
  return new Map(pairs.flatMap((pair) => (pair ? [[pair[1]!, pair[2]!]] : [])));
}

function firstAttempt(client: RedisClient): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('ready', resolve);
    client.once('error', reject);
    client.once('close', () => reject(new Error('the connection was closed')));
  });
}
