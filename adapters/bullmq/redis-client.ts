/**
 * Connections to Redis, by what their owner wants when Redis is away. Every one of them comes back by itself, however
 * long that takes, and none of them can end the process: each has an error listener from birth, also those that BullMQ
 * makes as copies.
 */
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';

export type RedisClient = Redis | Cluster;

/** `at-once`: commands fail as soon as Redis is away. `wait`: commands wait until it is back. */
export type WhenAway = 'at-once' | 'wait';

const FIRST_RETRY_MS = 50;
/** Once Redis is back, whoever waits for it goes on within about this time. */
const LONGEST_RETRY_MS = 1000;
const CONNECT_TIMEOUT_MS = 5000;
/** A command that has to fail fast is given up after this time, e.g. while Redis is frozen. */
const COMMAND_TIMEOUT_MS = 2000;
/** A connection on which an answer is due for this long is dead (a blocking read lasts 5 s at most). */
const SILENCE_LIMIT_MS = 15_000;
const KEEP_ALIVE_MS = 10_000;

/** `onClient` is told of the client, and of every copy of it, before it can emit anything. */
export function createRedisClient(
  url: string,
  whenAway: WhenAway,
  onClient: (client: RedisClient) => void,
): RedisClient {
  const endpoint = parseRedisUrl(url);
  const client = endpoint.isCluster
    ? new Cluster([{ host: endpoint.host, port: endpoint.port }], clusterOptions(endpoint, whenAway))
    : new Redis(endpoint.url, redisOptions(whenAway));
  adopt(client, onClient);
  return client;
}

export interface RedisEndpoint {
  /** Without what only Skein understands. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly isCluster: boolean;
  readonly isEncrypted: boolean;
  readonly username: string;
  readonly password: string;
  /** `host:port`, for people: without credentials. */
  readonly label: string;
}

/** `?cluster=1` marks the address of a Redis Cluster: any of its nodes. */
export function parseRedisUrl(text: string): RedisEndpoint {
  const url = new URL(text);
  const isCluster = /^(1|true|yes)$/.test(url.searchParams.get('cluster') ?? '');
  url.searchParams.delete('cluster');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1';
  const port = Number(url.port || 6379);
  return {
    url: url.href,
    host,
    port,
    isCluster,
    isEncrypted: url.protocol === 'rediss:',
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    label: `${url.hostname || host}:${port}`,
  };
}

/**
 * The beginning of every key. On a Cluster all keys of the queue must be on one node, which a hash tag (braces) sees to.
 */
export function keyPrefix(url: string, prefix: string): string {
  return parseRedisUrl(url).isCluster && !/\{[^}]+\}/.test(prefix) ? `{${prefix}}` : prefix;
}

function redisOptions(whenAway: WhenAway): RedisOptions {
  return {
    ...commandOptions(whenAway),
    retryStrategy: retryDelayMs,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_LIMIT_MS,
    keepAlive: KEEP_ALIVE_MS,
    // After a failover this address may lead to a replica: connecting again finds the new primary.
    reconnectOnError: ({ message }) => (/READONLY|UNBLOCKED/.test(message) ? 1 : false),
  };
}

function commandOptions(whenAway: WhenAway): RedisOptions {
  return whenAway === 'wait'
    ? { maxRetriesPerRequest: null }
    : { maxRetriesPerRequest: 1, enableOfflineQueue: false, commandTimeout: COMMAND_TIMEOUT_MS };
}

function clusterOptions(endpoint: RedisEndpoint, whenAway: WhenAway): ClusterOptions {
  return {
    clusterRetryStrategy: retryDelayMs,
    enableOfflineQueue: whenAway === 'wait',
    redisOptions: {
      ...commandOptions(whenAway),
      connectTimeout: CONNECT_TIMEOUT_MS,
      keepAlive: KEEP_ALIVE_MS,
      ...(endpoint.username !== '' && { username: endpoint.username }),
      ...(endpoint.password !== '' && { password: endpoint.password }),
      ...(endpoint.isEncrypted && { tls: {} }),
    },
    // With TLS a node is addressed by its name, since its certificate does not hold its IP address.
    ...(endpoint.isEncrypted && { dnsLookup: (address, callback) => callback(null, address) }),
  };
}

function retryDelayMs(attempt: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempt, 10), LONGEST_RETRY_MS);
}

function adopt(client: RedisClient, onClient: (client: RedisClient) => void): void {
  // Without a listener an error would end the process.
  client.on('error', () => undefined);
  onClient(client);
  const duplicate = client.duplicate.bind(client) as (...args: unknown[]) => RedisClient;
  const duplicateAndAdopt = (...args: unknown[]) => {
    const copy = duplicate(...args);
    adopt(copy, onClient);
    return copy;
  };
  Object.assign(client, { duplicate: duplicateAndAdopt });
}
