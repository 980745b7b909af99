/**
 * A worker process on a Redis run queue: `queue-worker-main.ts <url> <prefix>`. Prints `begun <session key>` for every wake
 * and never finishes one: it is there to be killed.
 */
import { createBullRunQueue } from '../../adapters/bullmq/index.ts';
import { createSystemClock } from '../../adapters/node/index.ts';
import { silentLog } from '../support/silent-log.ts';

const [url = '', prefix = ''] = process.argv.slice(2);
const queue = createBullRunQueue({ url, prefix, clock: createSystemClock(), log: silentLog });
queue.work(new Map([['main', { concurrency: 4 }]]), async ({ sessionKey }) => {
  process.stdout.write(`begun ${sessionKey}\n`);
  await new Promise(() => undefined);
});
