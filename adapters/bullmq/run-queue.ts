/**
 * The run queue of several processes: one BullMQ queue a lane on Redis. It decides nothing: caps and who may run are the
 * store's, so a wake that finds its session busy or its lane full is simply done. It starts, answers and closes also
 * while Redis is away, and goes on by itself when Redis is back; wakes refused meanwhile are repeated by whoever sweeps
 * the store.
 */
import type { Lane } from '../../src/core/run.ts';
import { type Clock, sleep } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import type { RunQueue, Wake } from '../../src/ports/run-queue.ts';
import { createConnectionWatch } from './connection-watch.ts';
import { createLaneWorker, type LaneWorker } from './lane-worker.ts';
import { type WatchedLane, watchProgress } from './progress-watch.ts';
import { createRedisClient, keyPrefix, parseRedisUrl } from './redis-client.ts';
import { createSessionTurns, type SessionTurns } from './session-turns.ts';
import { createWakeSender, type QueueHealth } from './wake-sender.ts';

const WAKE_AGAIN_MS = 1000;
/** What Redis is given to hear of handlers that have ended, once they all have. */
const CLOSE_MS = 2000;

export interface BullRunQueue extends RunQueue {
  /** Rejects with AppError `queue-unreachable` at once, or after 2 s when Redis does not answer. */
  wake(wake: Wake): Promise<void>;
  /** Over all processes; zeros while Redis is away. */
  stats(): Promise<{ readonly waiting: number; readonly active: number }>;
  health(): QueueHealth;
  /** Takes 2 s at most once the handlers have returned, whatever Redis does. */
  close(): Promise<void>;
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
  const log = options.log.child({ redis: parseRedisUrl(url).label });
  const prefix = keyPrefix(url, options.prefix);
  const watch = createConnectionWatch(
    { log, clock },
    { down: 'Redis cannot be reached: queued work waits until it is back', back: 'Redis is back' },
  );
  const closing = new AbortController();
  const { signal } = closing;
  const sender = createWakeSender({ url, prefix, watch, signal, clock, log });
  /** Also those that were replaced: their handlers may still be at work. */
  const workers = new Set<LaneWorker>();
  let turns: SessionTurns | undefined;
  let closed: Promise<void> | undefined;

  async function wakeAgain(wake: Wake): Promise<void> {
    while (!signal.aborted) {
      try {
        return await sender.send(wake);
      } catch {
        // Its health says why.
        await sleep(clock, WAKE_AGAIN_MS, signal);
      }
    }
  }

  function workLane(lane: Lane, concurrency: number, taking: SessionTurns): WatchedLane {
    const open = () => {
      const worker = createLaneWorker({
        lane,
        concurrency,
        prefix,
        connection: createRedisClient(url, 'wait', watch.add),
        clock,
        take: (sessionKey) => taking.take({ lane, sessionKey }),
        onError: watch.fault,
      });
      workers.add(worker);
      return worker;
    };
    let worker = open();
    return {
      async look() {
        const { taken, active } = worker.counts();
        const waiting = (await sender.counts())?.get(lane)?.waiting;
        return waiting === undefined ? undefined : { taken, couldTake: waiting > 0 && active < concurrency };
      },
      revive() {
        log.warn({ lane }, 'wakes wait but none is taken: the worker of this lane is replaced');
        void retire(worker);
        worker = open();
      },
    };
  }

  async function retire(worker: LaneWorker): Promise<void> {
    worker.stop();
    await worker.close();
    workers.delete(worker);
  }

  async function shutDown(): Promise<void> {
    closing.abort();
    for (const worker of workers) worker.stop();
    await turns?.idle();
    const isAway = watch.isDown();
    watch.mute();
    const told = Promise.allSettled([...workers].map((worker) => worker.close()));
    // What Redis does not hear now it gives to another worker, who finds nothing to do.
    if (!isAway) await Promise.race([told, sleep(clock, CLOSE_MS)]);
    watch.disconnect();
    await sender.close();
  }

  return {
    wake: (wake) => sender.send(wake),

    work(lanes, handle) {
      if (turns) throw new Error('work() was called twice on one run queue');
      if (closed) return;
      const taking = createSessionTurns({ handle, wakeAgain }, log);
      turns = taking;
      const watched = [...lanes].map(([lane, { concurrency }]) => workLane(lane, concurrency, taking));
      watchProgress(watched, clock, signal);
    },

    async stats() {
      const lanes = [...((await sender.counts())?.values() ?? [])];
      return {
        waiting: lanes.reduce((sum, { waiting }) => sum + waiting, turns?.postponedCount() ?? 0),
        active: lanes.reduce((sum, { active }) => sum + active, 0),
      };
    },

    health: () => sender.health(),

    close() {
      closed ??= shutDown();
      return closed;
    },
  };
}
