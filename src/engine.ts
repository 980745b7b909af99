/**
 * The engine: everything that carries out runs, put together from its stores and signals. A gateway and a worker process have
 * the same one; it knows no platform, only what the directory says of them.
 */
import { createCommit } from './commit.ts';
import type { SessionKey } from './core/ids.ts';
import type { Mask } from './core/mask.ts';
import type { Lane } from './core/run.ts';
import type { ChannelDirectory } from './delivery/directory.ts';
import { asError } from './errors.ts';
import type { Clock } from './ports/clock.ts';
import type { Ids } from './ports/ids.ts';
import type { Live } from './ports/live.ts';
import type { Log } from './ports/log.ts';
import type { Models } from './ports/model.ts';
import type { RunQueue } from './ports/run-queue.ts';
import type { Settings } from './ports/settings.ts';
import type { Store } from './ports/store/index.ts';
import { createAgentLoop } from './runs/agent-loop.ts';
import { createToolCaller } from './runs/call-tools.ts';
import { createRecover } from './runs/recover.ts';
import { createSettlement } from './runs/settle.ts';
import { createSteps } from './runs/steps.ts';
import { createWorker } from './runs/worker.ts';
import { createAnnounce } from './subagents/announce.ts';
import { createFinish } from './subagents/finish.ts';
import { createSpawn } from './subagents/spawn.ts';
import type { Sweep } from './sweeper.ts';
import { createSessionsSpawn } from './tools/sessions-spawn.ts';
import { createSessionsYield } from './tools/sessions-yield.ts';
import { createToolbox } from './tools/toolbox.ts';

export interface EngineParts {
  readonly store: Store;
  readonly queue: RunQueue;
  readonly live: Live;
  readonly directory: ChannelDirectory;
  readonly settings: Settings;
  readonly models: Models;
  readonly mask: Mask;
  /** Identifies this process in leases. */
  readonly owner: string;
  isOwnerAlive(owner: string): boolean;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

export function createEngine(parts: EngineParts) {
  const { store, queue, live, directory, settings, models, mask, owner, isOwnerAlive, clock, ids, log } =
    parts;
  const { read } = store;
  const commit = createCommit(store, queue, live, log);

  const announce = createAnnounce({ directory, ids, models });
  const finish = createFinish({ directory, settings });
  const settlement = createSettlement(directory, ids, async (tx, after, ended) => {
    await announce.onRunEnd(tx, after, ended);
    await finish(tx, after, ended);
  });

  const spawn = createSpawn({ directory, settings, models, clock });
  const toolbox = createToolbox([createSessionsSpawn(spawn), createSessionsYield(clock)], settings);
  const steps = createSteps({ commit, settlement, clock });
  const callTools = createToolCaller({ commit, toolbox, clock, log });
  const loop = {
    commit,
    read,
    settlement,
    steps,
    callTools,
    models,
    toolbox,
    settings,
    live,
    mask,
    clock,
    log,
  };
  const execute = createAgentLoop(loop);
  const worker = createWorker({ commit, read, queue, live, settings, execute, owner, clock, log });
  const recover = createRecover({ commit, read, isOwnerAlive, isAtWork: worker.isAtWork, clock, log });

  /** Wakes whoever could be claimed: a wake that was lost, a retry that is due, a place that another process left. */
  async function wakeClaimable(lanes: readonly Lane[]): Promise<void> {
    for (const lane of lanes) {
      const due = await read.runs.claimable(lane, clock.now(), settings.laneCap(lane));
      for (const sessionKey of due) await tryWake(lane, sessionKey);
    }
  }

  /** The queue says itself when it is away; what was not woken is found again by the next sweep. */
  async function tryWake(lane: Lane, sessionKey: SessionKey): Promise<void> {
    try {
      await queue.wake({ lane, sessionKey });
    } catch (thrown) {
      log.debug({ lane, sessionKey, error: asError(thrown).message }, 'a wake was refused');
    }
  }

  const sweeps = (lanes: readonly Lane[]): readonly Sweep[] => [
    { name: 'leases', run: () => recover.freeExpired() },
    { name: 'dead processes', run: async () => void (await recover.freeDead()) },
    { name: 'wakes', run: () => wakeClaimable(lanes) },
  ];

  return { read, commit, settlement, spawn, toolbox, worker, recover, wakeClaimable, sweeps };
}
