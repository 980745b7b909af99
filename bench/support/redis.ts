/** The Redis of the benchmarks that want one: a server of their own, or none, which is said so that nobody overlooks it. */
import { missingRedis, type RedisServer, startRedis } from '../../test/support/redis.ts';
import type { Cleanup } from './cleanup.ts';
import { printNote } from './figures.ts';

const MS = 1_000;

/** `undefined` when this machine has none: what needs it is then left out. */
export async function findRedis(cleanup: Cleanup): Promise<RedisServer | undefined> {
  const missing = missingRedis();
  if (missing !== undefined) {
    printNote(`!!! NOT MEASURED ON REDIS: ${missing}; "apt-get install redis-server" brings one !!!`);
    return undefined;
  }
  const redis = await startRedis('--maxmemory-policy', 'noeviction');
  cleanup.add(() => redis.remove());
  return redis;
}

/** Processor time of the server so far, in milliseconds, as it says itself. */
export async function redisProcessorMs(redis: RedisServer): Promise<number> {
  const told = await redis.command('INFO', 'cpu');
  const seconds = (field: string) => Number(new RegExp(`^${field}:([\\d.]+)`, 'm').exec(told)?.[1]);
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * MS;
}
