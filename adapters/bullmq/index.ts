/** What several processes share through Redis: the run queue and the live signals. */
export { createRedisLive } from './live.ts';
export { createBullRunQueue } from './run-queue.ts';
export { checkRedis } from './server-check.ts';
