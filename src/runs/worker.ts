/**
 * The worker: what a wake leads to. It claims the next run of the session, keeps its lease while the loop works on it,
 * listens for cancellation, and afterwards wakes whoever was waiting for the place in the lane.
 */

import type { Commit } from '../commit.ts';
import type { RunId } from '../core/ids.ts';
import type { Lane } from '../core/run.ts';
import { asError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Live } from '../ports/live.ts';
import type { Log } from '../ports/log.ts';
import type { RunQueue, Wake } from '../ports/run-queue.ts';
import type { Settings } from '../ports/settings.ts';
import type { Run, StoreReads } from '../ports/store/index.ts';
import type { createAgentLoop, RunControl, StopCause } from './agent-loop.ts';
import { prepareStep } from './steps.ts';

export const LEASE_MS = 10_000;

export interface WorkerDeps {
  readonly commit: Commit;
  readonly read: StoreReads;
  readonly queue: RunQueue;
  readonly live: Live;
  readonly settings: Settings;
  readonly execute: ReturnType<typeof createAgentLoop>;
  /** Identifies this process in leases. */
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Log;
}

interface Stoppable extends RunControl {
  stop(cause: StopCause): void;
}

function createControl(): Stoppable {
  const controller = new AbortController();
  let stoppedBy: StopCause | undefined;
  return {
    signal: controller.signal,
    cause: () => stoppedBy,
    stop(cause) {
      stoppedBy ??= cause;
      controller.abort();
    },
  };
}

export interface Worker {
  /** At most `concurrency` runs of each lane at once in this process; the lane's cap holds over all processes. */
  start(lanes: readonly Lane[], concurrency?: number): void;
  /** Whether this process is carrying out that run. */
  isAtWork(run: RunId): boolean;
  /** Looks whether runs of this process were cancelled by another one. */
  look(): Promise<void>;
  /** Claims nothing more, lets runs finish for up to `graceMs`, then puts the rest back into the queue. */
  stop(graceMs: number): Promise<void>;
}

export function createWorker(deps: WorkerDeps): Worker {
  const { commit, read, queue, live, settings, execute, owner, clock, log } = deps;
  const executing = new Map<RunId, Stoppable>();
  let isStopping = false;

  const stopListening = live.subscribe((event) => {
    if (event.type === 'cancel') executing.get(event.runId)?.stop('cancelled');
  });

  async function renew(run: Run, control: Stoppable): Promise<void> {
    try {
      const isOurs = await commit((tx) => tx.runs.renewLease(run.id, run.fence, clock.now() + LEASE_MS));
      if (!isOurs) return control.stop('lost');
      const stored = await read.runs.get(run.id);
      if (stored?.cancelRequestedAt !== undefined) control.stop('cancelled');
    } catch (thrown) {
      log.warn(
        { runId: run.id, error: asError(thrown).message },
        'the lease could not be renewed; trying again',
      );
    }
  }

  /** Keeps lease and deadline of a run under way; returns what ends that. */
  function watch(run: Run, control: Stoppable): () => void {
    let isOver = false;
    let cancelRenewal: (() => void) | undefined;
    const renewLater = () => {
      cancelRenewal = clock.after(LEASE_MS / 2, () => {
        void renew(run, control).then(() => {
          if (!isOver) renewLater();
        });
      });
    };
    renewLater();
    const cancelDeadline =
      run.deadlineAt === undefined
        ? undefined
        : clock.after(Math.max(0, run.deadlineAt - clock.now()), () => control.stop('timed-out'));
    return () => {
      isOver = true;
      cancelRenewal?.();
      cancelDeadline?.();
    };
  }

  async function claim({ lane, sessionKey }: Wake) {
    const now = clock.now();
    return commit(async (tx, after) => {
      const run = await tx.runs.claim({
        sessionKey,
        lane,
        cap: settings.laneCap(lane),
        owner,
        leaseMs: LEASE_MS,
        now,
      });
      return run && prepareStep(tx, after, run, now);
    });
  }

  async function handle(wake: Wake): Promise<void> {
    if (isStopping) return;
    try {
      const prepared = await claim(wake);
      if (!prepared) return;
      const { run } = prepared;
      const control = createControl();
      executing.set(run.id, control);
      const unwatch = watch(run, control);
      try {
        await execute(prepared, control);
      } finally {
        unwatch();
        executing.delete(run.id);
      }
      await wakeNext(wake.lane);
    } catch (thrown) {
      log.error({ ...wake, error: asError(thrown).message }, 'a wake failed; the sweeper will repeat it');
    }
  }

  /** The place in the lane is free: whoever waited for it longest gets it. */
  async function wakeNext(lane: Lane): Promise<void> {
    if (isStopping) return;
    for (const sessionKey of await read.runs.claimable(lane, clock.now(), 1))
      await queue.wake({ lane, sessionKey });
  }

  return {
    start(lanes, concurrency = Number.POSITIVE_INFINITY) {
      const limit = (lane: Lane) => ({ concurrency: Math.min(concurrency, settings.laneCap(lane)) });
      queue.work(new Map(lanes.map((lane) => [lane, limit(lane)])), handle);
    },
    isAtWork: (run) => executing.has(run),
    async look() {
      for (const [id, control] of executing) {
        const run = await read.runs.get(id);
        if (run?.cancelRequestedAt !== undefined) control.stop('cancelled');
      }
    },
    async stop(graceMs) {
      isStopping = true;
      const stopAll = () => {
        for (const control of executing.values()) control.stop('shutdown');
      };
      if (graceMs <= 0) stopAll();
      const cancel = graceMs > 0 ? clock.after(graceMs, stopAll) : undefined;
      await queue.close();
      cancel?.();
      stopListening();
    },
  };
}
