/**
 * The run queue of several processes: one BullMQ queue a lane on Redis. It decides nothing: caps and who may run are the
 * store's, so a wake that finds its session busy or its lane full is simply done. It starts, answers and closes also
 * while Redis is away, and goes on by itself when Redis is back; wakes refused meanwhile are repeated by whoever sweeps
 * the store.
 */
import { LANES, type Lane } from '../../src/core/run.ts';
import { AppError } from '../../src/errors.ts';
import { type Clock, sleep } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import type { RunQueue, Wake } from '../../src/ports/run-queue.ts';
import { createConnectionWatch } from './connection-watch.ts';
import { createLaneWorker, type LaneWorker } from './lane-worker.ts';
import { createRedisClient, keyPrefix, parseRedisUrl } from './redis-client.ts';
import { asRedisError } from './redis-error.ts';
import { inspectServer } from './server-check.ts';
import { createSessionTurns, type SessionTurns } from './session-turns.ts';
import { addWakeJob, openWakeJobs } from './wake-job.ts';

/** How long the first wakes wait for the first connection. */
const FIRST_CONNECTION_MS = 2000;
const WAKE_AGAIN_MS = 1000;
/** What Redis is given to hear of handlers that have ended, once they all have. */
const CLOSE_MS = 2000;

/** `problem`: what an operator should know, also while it is ready. */
export interface QueueHealth {
  readonly state: 'ready' | 'down';
  readonly problem?: string;
}

export interface BullRunQueue extends RunQueue {
  /** Rejects with AppError `queue-unreachable` at once, or after 2 s when Redis does not answer. */
  wake(wake: Wake): Promise<void>;
  /** Zeros while Redis is away. */
  stats(): Promise<{ readonly waiting: number; readonly active: number }>;
  health(): QueueHealth;
}

export interface BullRunQueueOptions {
  /** `redis://` or `rediss://`, with credentials; `?cluster=1` for a Redis Cluster. */
  readonly url: string;
  /** Begins every key in Redis. Processes with the same prefix share the work. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly log: Log;
}

export function createBullRunQueue(options: BullRunQueueOptions): BullRunQueue {
  const { url, clock } = options;
  const { label } = parseRedisUrl(url);
  const log = options.log.child({ redis: label });
  const prefix = keyPrefix(url, options.prefix);
  const watch = createConnectionWatch(
    { log, clock },
    { down: 'Redis cannot be reached: queued work waits until it is back', back: 'Redis is back' },
  );
  const sender = createRedisClient(url, 'at-once', watch.add);
  const jobs = new Map(LANES.map((lane) => [lane, openWakeJobs(lane, sender, prefix)]));
  for (const queue of jobs.values()) queue.on('error', watch.fault);

  const closing = new AbortController();
  let turns: SessionTurns | undefined;
  let workers: readonly LaneWorker[] = [];
  /** What is wrong with the server as it is set up. */
  let problem: string | undefined;
  /** Why it did not take the last wake. */
  let refusal: string | undefined;
  let hasTimedOut = false;
  let closed: Promise<void> | undefined;

  const firstAttempt = new Promise<void>((resolve) => {
    sender.once('ready', () => resolve());
    sender.once('close', () => resolve());
    clock.after(FIRST_CONNECTION_MS, resolve);
  });
  sender.on('ready', () => {
    hasTimedOut = false;
    void inspect();
  });

  async function inspect(): Promise<void> {
    const before = problem;
    try {
      const check = await inspectServer(sender);
      if (sender.status !== 'ready') return;
      problem = check.ok ? undefined : check.problem;
      if (problem !== undefined && problem !== before) log.warn({}, problem);
    } catch (thrown) {
      problem = asRedisError(thrown).message;
      if (problem !== before)
        log.error({ err: asRedisError(thrown) }, 'this Redis cannot carry the run queue');
    }
  }

  const isReady = () => sender.status === 'ready' && !hasTimedOut;

  /** A server that does not answer is as good as away: the connection is made anew, and is ready when it answers. */
  function noteFailure(error: Error): void {
    if (!/timed out/i.test(error.message) || hasTimedOut) return;
    hasTimedOut = true;
    sender.disconnect(true);
  }

  async function send({ lane, sessionKey }: Wake): Promise<void> {
    await firstAttempt;
    if (closing.signal.aborted) return;
    if (!isReady()) throw new AppError('queue-unreachable', `Redis at ${label} cannot be reached`);
    try {
      await addWakeJob(jobs.get(lane)!, sessionKey);
      refusal = undefined;
    } catch (thrown) {
      if (closing.signal.aborted) return;
      const error = asRedisError(thrown);
      noteFailure(error);
      refusal = `Redis at ${label} did not take a wake: ${error.message}`;
      throw new AppError('queue-unreachable', refusal, { cause: error });
    }
  }

  async function wakeAgain(wake: Wake): Promise<void> {
    while (!closing.signal.aborted) {
      try {
        return await send(wake);
      } catch {
        await sleep(clock, WAKE_AGAIN_MS, closing.signal);
      }
    }
  }

  async function countJobs(): Promise<{ waiting: number; active: number }> {
    const counts = await Promise.all([...jobs.values()].map((queue) => queue.getJobCounts('wait', 'active')));
    return {
      waiting: counts.reduce((sum, { wait = 0 }) => sum + wait, 0),
      active: counts.reduce((sum, { active = 0 }) => sum + active, 0),
    };
  }

  async function shutDown(): Promise<void> {
    closing.abort();
    for (const worker of workers) worker.stop();
    await turns?.idle();
    const isAway = watch.isDown();
    watch.mute();
    const told = Promise.allSettled(workers.map((worker) => worker.close()));
    // What Redis does not hear now it gives to another worker, who finds nothing to do.
    if (!isAway) await Promise.race([told, sleep(clock, CLOSE_MS)]);
    watch.disconnect();
    await Promise.allSettled([...jobs.values()].map((queue) => queue.close()));
  }

  return {
    wake: (wake) => (closed ? Promise.resolve() : send(wake)),

    work(lanes: ReadonlyMap<Lane, { concurrency: number }>, handle) {
      if (turns) throw new Error('work() was called twice on one run queue');
      if (closed) return;
      const taking = createSessionTurns({ handle, wakeAgain }, log);
      turns = taking;
      const connection = createRedisClient(url, 'wait', watch.add);
      workers = [...lanes].map(([lane, { concurrency }]) =>
        createLaneWorker({
          lane,
          concurrency,
          prefix,
          connection,
          clock,
          take: (sessionKey) => taking.take({ lane, sessionKey }),
          onError: watch.fault,
        }),
      );
    },

    async stats() {
      const here = turns?.postponedCount() ?? 0;
      await firstAttempt;
      if (closed || !isReady()) return { waiting: here, active: 0 };
      try {
        const { waiting, active } = await countJobs();
        return { waiting: waiting + here, active };
      } catch (thrown) {
        noteFailure(asRedisError(thrown));
        return { waiting: here, active: 0 };
      }
    },

    health() {
      if (!isReady()) return { state: 'down', problem: `Redis at ${label} cannot be reached` };
      if (refusal !== undefined) return { state: 'down', problem: refusal };
      return { state: 'ready', ...(problem !== undefined && { problem }) };
    },

    close() {
      closed ??= shutDown();
      return closed;
    },
  };
}
