import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe } from 'vitest';
import { createBullRunQueue } from '../../adapters/bullmq/index.ts';
import { createSystemClock } from '../../adapters/node/index.ts';
import { missingRedis, type RedisServer, startRedis } from '../support/redis.ts';
import { silentLog } from '../support/silent-log.ts';
import { runQueueContract } from './run-queue.ts';

const external = process.env.REDIS_URL;

describe.skipIf(external === undefined && missingRedis() !== undefined)('on a real Redis', () => {
  let server: RedisServer | undefined;
  beforeAll(async () => {
    if (external === undefined) server = await startRedis();
  });
  afterAll(async () => server?.remove());

  runQueueContract('BullMQ', async () =>
    createBullRunQueue({
      url: external ?? server!.url,
      prefix: `skein-test-${randomUUID()}`,
      clock: createSystemClock(),
      log: silentLog,
    }),
  );
});
