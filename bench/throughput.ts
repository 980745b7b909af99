/**
 * Turns a second over 50 conversations, each of which sends its next message when it sees its reply. Client, model and Skein
 * share the machine, so the setups take turns in one run, and the ceilings of what lies below are taken with them: compare
 * with those, not with other days.
 */
import type { RedisServer } from '../test/support/redis.ts';
import { bareCommits, bareProviderCalls, bareWorker } from './support/ceilings.ts';
import { tempHome, withCleanup } from './support/cleanup.ts';
import { createDriver } from './support/drive.ts';
import type { Figure } from './support/figures.ts';
import { startModel } from './support/model.ts';
import { monotonicMs } from './support/monotonic.ts';
import { processorMs, residentMib } from './support/process-usage.ts';
import { findRedis, redisProcessorMs } from './support/redis.ts';
import { type Skein, startSkein } from './support/skein.ts';

const WARM_UP = 500;
const TURNS = 2_000;
const ROUNDS = 3;
/** Of the embedded queue's turns, in per cent. */
const WANTED_SHARE = 60;

type Used = Readonly<Record<'gateway' | 'workers' | 'redis' | 'model' | 'client', number>>;

interface Round {
  readonly tookMs: number;
  /** Processor time in milliseconds. */
  readonly used: Used;
}

interface Contender {
  readonly name: string;
  readonly skein: Skein;
  readonly drive: (turns: number, name: string) => Promise<void>;
  readonly redis?: RedisServer;
  readonly rounds: Round[];
}

export function throughput(): Promise<readonly Figure[]> {
  return withCleanup(async (cleanup) => {
    const redis = await findRedis(cleanup);
    const model = await startModel(cleanup);
    const contender = async (name: string, workers: number, on?: RedisServer): Promise<Contender> => {
      const setup = { workers, ...(on && { redisUrl: on.url }) };
      const skein = await startSkein(cleanup, tempHome(cleanup), model.baseUrl, setup);
      return { name, skein, drive: createDriver(skein), ...(on && { redis: on }), rounds: [] };
    };
    const embedded = await contender('embedded', 0);
    const watching = await contender('2 workers, no Redis', 2);
    const onRedis = redis && (await contender('2 workers on Redis', 2, redis));
    const all = [embedded, watching, ...(onRedis ? [onRedis] : [])];
    for (const { drive } of all) await drive(WARM_UP, 'warm-up');
    for (let round = 0; round < ROUNDS; round++) {
      for (const one of all) one.rounds.push(await measured(one, `round${round}`, model.pid));
    }
    const memory = residentMib(embedded.skein.child.pid);
    const rates = turnsPerSecond(embedded);
    return [
      { name: 'embedded: turns', unit: '1/s', values: rates, target: { atLeast: 150 } },
      ...usage(embedded),
      { name: 'embedded: resident memory at the end', unit: 'MiB', values: [memory.now] },
      ...(onRedis ? redisFigures(onRedis, rates) : []),
      { name: `${watching.name}: turns`, unit: '1/s', values: turnsPerSecond(watching) },
      ...usage(watching),
      { name: 'ceiling: bare SQLite commits', unit: '1/s', values: await bareCommits(tempHome(cleanup)) },
      { name: 'ceiling: bare provider calls', unit: '1/s', values: await bareProviderCalls(model.baseUrl) },
      ...(redis
        ? [{ name: 'ceiling: bare BullMQ worker', unit: '1/s', values: await bareWorker(redis.port) }]
        : []),
    ];
  });
}

function redisFigures(contender: Contender, embedded: readonly number[]): readonly Figure[] {
  const rates = turnsPerSecond(contender);
  return [
    { name: `${contender.name}: turns`, unit: '1/s', values: rates },
    {
      name: `${contender.name}: share of embedded`,
      unit: '%',
      // Each round beside the one that ran just before it.
      values: rates.map((rate, round) => (rate / embedded[round]!) * 100),
      target: { atLeast: WANTED_SHARE },
    },
    ...usage(contender),
  ];
}

function turnsPerSecond({ rounds }: Contender): readonly number[] {
  return rounds.map(({ tookMs }) => (TURNS * 1_000) / tookMs);
}

/** Of those that are part of it. */
function usage({ name, rounds, skein, redis }: Contender): readonly Figure[] {
  const sides: (keyof Used)[] = ['gateway', 'model', 'client'];
  if (skein.workers.length > 0) sides.push('workers');
  if (redis) sides.push('redis');
  return sides.map((side) => ({
    name: `${name}: processor time a turn, ${side}`,
    unit: 'ms',
    values: rounds.map(({ used }) => used[side] / TURNS),
  }));
}

async function measured({ skein, redis, drive }: Contender, name: string, model: number): Promise<Round> {
  const now = async (): Promise<Used> => ({
    gateway: processorMs(skein.child.pid),
    workers: skein.workers.reduce((sum, { pid }) => sum + processorMs(pid), 0),
    redis: redis ? await redisProcessorMs(redis) : 0,
    model: processorMs(model),
    client: processorMs(process.pid),
  });
  const before = await now();
  const startedAt = monotonicMs();
  await drive(TURNS, name);
  const tookMs = monotonicMs() - startedAt;
  const after = await now();
  const since = (side: keyof Used) => after[side] - before[side];
  const used = {
    gateway: since('gateway'),
    workers: since('workers'),
    redis: since('redis'),
    model: since('model'),
    client: since('client'),
  };
  return { tookMs, used };
}
