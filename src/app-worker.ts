/**
 * The composition root of a worker process: the engine on a gateway's state folder, without any connection to a platform.
 * What its runs want to say are operations, which the gateway carries out.
 */
import { availableParallelism } from 'node:os';
import { createSystemClock, createSystemIds, isOwnerAlive, processOwner } from '../adapters/node/index.ts';
import { openSqliteStore, type SqliteStores } from '../adapters/sql/index.ts';
import { configuredModels, createSignals, processLog, type Signals } from './app-parts.ts';
import type { Config } from './config/load.ts';
import { createSettings } from './config/settings.ts';
import { createMask } from './core/mask.ts';
import type { Lane } from './core/run.ts';
import { createStoredDirectory } from './delivery/stored-directory.ts';
import { createEngine } from './engine.ts';
import { openTogether } from './open-together.ts';
import type { Clock } from './ports/clock.ts';
import type { Ids } from './ports/ids.ts';
import type { Log } from './ports/log.ts';
import { createSweeper } from './sweeper.ts';
import { createWatch } from './watch.ts';

export interface WorkerApp {
  start(): Promise<void>;
  /** Claims nothing more, lets runs finish for up to `graceMs`, and gives the rest back. Idempotent. */
  stop(graceMs?: number): Promise<void>;
}

export interface WorkerOptions {
  readonly lanes: readonly Lane[];
  /** Runs of each lane at once in this process; absent: up to the lane's cap. */
  readonly concurrency?: number;
}

/** Rejects with an AppError when the state folder cannot be used. */
export function createWorkerApp(config: Config, options: WorkerOptions): Promise<WorkerApp> {
  const clock = createSystemClock();
  const ids = createSystemIds();
  const log = processLog(config);
  return openTogether(async (freeBy) => {
    const stores = await openSqliteStore({ ...config.store, clock, log });
    freeBy(() => stores.close());
    const signals = await createSignals(config, clock, ids, log);
    freeBy(() => signals.close());
    return compose({ config, clock, ids, log, stores, signals }, options);
  });
}

interface Opened {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly stores: SqliteStores;
  readonly signals: Signals;
}

function compose(opened: Opened, { lanes, concurrency }: WorkerOptions): WorkerApp {
  const { config, clock, ids, log, stores, signals } = opened;
  const settings = createSettings(config, availableParallelism());
  const { store } = stores;
  const owner = processOwner();
  const models = configuredModels(config, clock, log);
  const { queue, live } = signals;
  const directory = createStoredDirectory(store.read);
  const mask = createMask(config.secrets);
  const parts = {
    store,
    queue,
    live,
    directory,
    settings,
    models,
    mask,
    owner,
    isOwnerAlive,
    clock,
    ids,
    log,
  };
  const { worker, recover, sweeps, wakeClaimable } = createEngine(parts);

  const watch = createWatch(
    store,
    async () => {
      await directory.refresh();
      await worker.look();
      await wakeClaimable(lanes);
    },
    clock,
    log,
  );
  const sweeper = createSweeper(sweeps(lanes), clock, log);
  let stopping: Promise<void> | undefined;

  async function shutDown(graceMs: number): Promise<void> {
    await watch.stop();
    await sweeper.stop();
    await worker.stop(graceMs);
    await signals.close();
    await stores.close();
  }

  return {
    async start() {
      await directory.refresh();
      await signals.start();
      await recover.freeDead();
      worker.start(lanes, concurrency);
      await wakeClaimable(lanes);
      watch.start();
      sweeper.start();
      log.info({ owner, lanes }, 'the worker is ready');
    },
    stop(graceMs = 0) {
      stopping ??= shutDown(graceMs);
      return stopping;
    },
  };
}
