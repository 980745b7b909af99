/** What the parts below could do at most on this machine, right now, with nothing of ours around them. */
import { join } from 'node:path';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Database from 'better-sqlite3';
import { Queue, Worker } from 'bullmq';
import { monotonicMs } from './monotonic.ts';

const ROUNDS = 3;
const ROUND_MS = 1_000;
const CALLS_AT_ONCE = 8;
const JOBS_AT_ONCE = 8;
const JOBS = 5_000;

async function perSecond(work: (isOver: () => boolean) => Promise<number>): Promise<readonly number[]> {
  const rates: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const startedAt = monotonicMs();
    const count = await work(() => monotonicMs() - startedAt >= ROUND_MS);
    // The first round warms up.
    if (round > 0) rates.push((count * 1_000) / (monotonicMs() - startedAt));
  }
  return rates;
}

/** Commits a second: one small insert each, set up as Skein's database is. */
export async function bareCommits(folder: string): Promise<readonly number[]> {
  const database = new Database(join(folder, 'bare.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = normal');
  database.exec('CREATE TABLE bare (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO bare (text) VALUES (?)');
  const commit = database.transaction((n: number) => insert.run(`a small row with the number ${n}`));
  try {
    return await perSecond(async (isOver) => {
      let count = 0;
      while (!isOver()) commit.immediate(count++);
      return count;
    });
  } finally {
    database.close();
  }
}

/** Calls a second through the SDK's provider, a few at once, each read to its end. */
export function bareProviderCalls(baseURL: string): Promise<readonly number[]> {
  const provider = createOpenAICompatible({ name: 'bare', baseURL, includeUsage: true, apiKey: 'fake' });
  const call = async () => {
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }];
    const { stream } = await provider.chatModel('fake').doStream({ prompt });
    const reader = stream.getReader();
    while (!(await reader.read()).done);
  };
  return perSecond(async (isOver) => {
    let count = 0;
    const caller = async () => {
      while (!isOver()) {
        await call();
        count++;
      }
    };
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, caller));
    return count;
  });
}

/** Jobs a second that one worker takes out of a full queue of its own and does nothing with. */
export async function bareWorker(port: number): Promise<readonly number[]> {
  const rates: number[] = [];
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round++) {
    const rate = await drained(`bare-${round}`, { host: '127.0.0.1', port, maxRetriesPerRequest: null });
    if (round > 0) rates.push(rate);
  }
  return rates;
}

async function drained(
  name: string,
  connection: { readonly host: string; readonly port: number; readonly maxRetriesPerRequest: null },
): Promise<number> {
  const queue = new Queue(name, { connection });
  const opts = { removeOnComplete: true };
  const jobs = Array.from({ length: JOBS }, (_, n) => ({ name: 'bare', data: { n }, opts }));
  await queue.addBulk(jobs);
  await queue.close();
  const worker = new Worker(name, async () => undefined, {
    connection,
    concurrency: JOBS_AT_ONCE,
    autorun: false,
  });
  try {
    await worker.waitUntilReady();
    const startedAt = monotonicMs();
    const done = new Promise<void>((resolve) => worker.once('drained', () => resolve()));
    void worker.run();
    await done;
    return (JOBS * 1_000) / (monotonicMs() - startedAt);
  } finally {
    await worker.close();
  }
}
