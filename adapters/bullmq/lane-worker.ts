/**
 * Takes the wakes of one lane out of Redis. A wake is locked while its handler works; the wake of a process that died
 * loses its lock and is given to another worker by any of those that are alive.
 */
import { WaitingError, Worker } from 'bullmq';
import type { SessionKey } from '../../src/core/ids.ts';
import type { Lane } from '../../src/core/run.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { RedisClient } from './redis-client.ts';
import { sessionKeyOf, type WakeData } from './wake-job.ts';

/** Renewed at half of it. A dead worker's wake returns after this and up to two checks: 3 to 5 s. */
const LOCK_MS = 3000;
const CHECK_STALLED_MS = 1000;
/** How often a wake may outlive its worker. What kills its workers is limited where runs are counted, in the store. */
const MOST_RECOVERIES = 1_000_000;
const RETRY_MS = 500;
/** An idle worker asks anew after this time, in seconds. */
const BLOCK_S = 5;
/** So many errors without a wake in between are a server that refuses (full, read-only): then the worker pauses. */
const ERRORS_BEFORE_PAUSE = 5;
const PAUSE_MS = 1000;

export interface LaneWorker {
  /** Wakes taken so far, and those of them that are being handled. */
  counts(): { readonly taken: number; readonly active: number };
  /** Takes no further wakes; one that is just arriving goes back. */
  stop(): void;
  /** Resolves when all that was taken is done and Redis knows; not while Redis is away. Ends the connection. */
  close(): Promise<void>;
}

export interface LaneWorkerOptions {
  readonly lane: Lane;
  readonly concurrency: number;
  readonly prefix: string;
  /** Of this worker alone. */
  readonly connection: RedisClient;
  readonly clock: Clock;
  /** Never rejects. */
  readonly take: (sessionKey: SessionKey) => Promise<void>;
  readonly onError: (error: Error) => void;
}

export function createLaneWorker(options: LaneWorkerOptions): LaneWorker {
  const { lane, concurrency, clock } = options;
  let isStopped = false;
  let taken = 0;
  let active = 0;
  let errors = 0;
  let cancelPause: (() => void) | undefined;

  const worker = new Worker<WakeData>(
    lane,
    async (job, token) => {
      if (isStopped) {
        await job.moveToWait(token);
        throw new WaitingError();
      }
      taken++;
      errors = 0;
      const sessionKey = sessionKeyOf(job.data);
      if (sessionKey === undefined) options.onError(new Error(`a job in the lane ${lane} is not a wake`));
      else await take(sessionKey);
    },
    {
      connection: options.connection,
      prefix: options.prefix,
      concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: CHECK_STALLED_MS,
      maxStalledCount: MOST_RECOVERIES,
      runRetryDelay: RETRY_MS,
      drainDelay: BLOCK_S,
      skipVersionCheck: true,
    },
  );

  async function take(sessionKey: SessionKey): Promise<void> {
    active++;
    await options.take(sessionKey);
    active--;
  }

  worker.on('error', (error) => {
    if (isStopped) return;
    options.onError(error);
    errors++;
    if (errors >= ERRORS_BEFORE_PAUSE) pause();
  });

  /** BullMQ asks again at once after an error that is not about the connection, thousands of times a second. */
  function pause(): void {
    if (cancelPause) return;
    void worker.pause(true);
    cancelPause = clock.after(PAUSE_MS, () => {
      cancelPause = undefined;
      errors = 0;
      if (!isStopped) void worker.resume();
    });
  }

  return {
    counts: () => ({ taken, active }),
    stop() {
      isStopped = true;
      cancelPause?.();
      void worker.pause(true);
    },
    async close() {
      await worker.close();
      options.connection.disconnect();
    },
  };
}
