/**
 * The side of the run queue that puts wakes into Redis and asks about them. Its connection never makes anybody wait: while
 * Redis is away or frozen it refuses at once, and its health says why.
 */
import { LANES, type Lane } from '../../src/core/run.ts';
import { AppError } from '../../src/errors.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Wake } from '../../src/ports/run-queue.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { createRedisClient, parseRedisUrl } from './redis-client.ts';
import { asRedisError } from './redis-error.ts';
import { inspectServer } from './server-check.ts';
import { addWakeJob, openWakeJobs } from './wake-job.ts';

/** How long the first wakes wait for the first connection. */
const FIRST_CONNECTION_MS = 2000;

/** `problem`: what an operator should know, also while it is ready. */
export interface QueueHealth {
  readonly state: 'ready' | 'down';
  readonly problem?: string;
}

export interface LaneCounts {
  readonly waiting: number;
  readonly active: number;
}

export interface WakeSender {
  /** Rejects with AppError `queue-unreachable`; resolves without doing anything once `signal` has aborted. */
  send(wake: Wake): Promise<void>;
  /** Of every lane, over all processes; undefined while Redis is away. */
  counts(): Promise<ReadonlyMap<Lane, LaneCounts> | undefined>;
  health(): QueueHealth;
  /** To be called after the connections were ended. */
  close(): Promise<void>;
}

export interface WakeSenderOptions {
  readonly url: string;
  readonly prefix: string;
  readonly watch: ConnectionWatch;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

export function createWakeSender(options: WakeSenderOptions): WakeSender {
  const { url, watch, signal, log } = options;
  const { label } = parseRedisUrl(url);
  const client = createRedisClient(url, 'at-once', watch.add);
  const lanes = new Map(LANES.map((lane) => [lane, openWakeJobs(lane, client, options.prefix)]));
  for (const jobs of lanes.values()) jobs.on('error', watch.fault);

  /** What is wrong with the server as it is set up. */
  let problem: string | undefined;
  /** Why it did not take the last wake. */
  let refusal: string | undefined;
  let hasTimedOut = false;

  const firstAttempt = new Promise<void>((resolve) => {
    client.once('ready', () => resolve());
    client.once('close', () => resolve());
    options.clock.after(FIRST_CONNECTION_MS, resolve);
  });
  client.on('ready', () => {
    hasTimedOut = false;
    refusal = undefined;
    void inspect();
  });

  const isReady = () => client.status === 'ready' && !hasTimedOut;

  async function inspect(): Promise<void> {
    const before = problem;
    try {
      const check = await inspectServer(client);
      if (!isReady()) return;
      problem = check.ok ? undefined : check.problem;
      if (problem !== undefined && problem !== before) log.warn({}, problem);
    } catch (thrown) {
      const error = asRedisError(thrown);
      problem = error.message;
      if (problem !== before) log.error({ err: error }, 'this Redis cannot carry the run queue');
    }
  }

  /** A server that does not answer is as good as away: the connection is made anew, and is ready when it answers. */
  function noteFailure(error: Error): void {
    if (!/timed out/i.test(error.message) || hasTimedOut) return;
    hasTimedOut = true;
    client.disconnect(true);
  }

  return {
    async send({ lane, sessionKey }) {
      if (signal.aborted) return;
      await firstAttempt;
      if (signal.aborted) return;
      if (!isReady()) throw new AppError('queue-unreachable', `Redis at ${label} cannot be reached`);
      try {
        await addWakeJob(lanes.get(lane)!, sessionKey);
        refusal = undefined;
      } catch (thrown) {
        if (signal.aborted) return;
        const error = asRedisError(thrown);
        noteFailure(error);
        refusal = `Redis at ${label} did not take a wake: ${error.message}`;
        throw new AppError('queue-unreachable', refusal, { cause: error });
      }
    },

    async counts() {
      await firstAttempt;
      if (signal.aborted || !isReady()) return undefined;
      try {
        const entries = [...lanes].map(async ([lane, jobs]) => {
          const { wait = 0, active = 0 } = await jobs.getJobCounts('wait', 'active');
          return [lane, { waiting: wait, active }] as const;
        });
        return new Map(await Promise.all(entries));
      } catch (thrown) {
        noteFailure(asRedisError(thrown));
        return undefined;
      }
    },

    health() {
      if (!isReady()) return { state: 'down', problem: `Redis at ${label} cannot be reached` };
      if (refusal !== undefined) return { state: 'down', problem: refusal };
      return { state: 'ready', ...(problem !== undefined && { problem }) };
    },

    async close() {
      await Promise.allSettled([...lanes.values()].map((jobs) => jobs.close()));
    },
  };
}
