/**
 * Recovery: gives back what dead processes held. At start everything of processes on this machine that are gone is freed at
 * once; a lease that ran out frees its run whoever held it. Runs resume behind their last recorded step.
 */
import type { Commit } from '../commit.ts';
import type { RunId } from '../core/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Run, StoreReads } from '../ports/store/index.ts';
import { LEASE_MS } from './worker.ts';

const BATCH = 100;

export interface RecoverDeps {
  readonly commit: Commit;
  readonly read: StoreReads;
  /** False only when the process is certainly gone. */
  isOwnerAlive(owner: string): boolean;
  /** Whether this process is carrying out that run. */
  isAtWork(run: RunId): boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export function createRecover(deps: RecoverDeps) {
  const { commit, read, isOwnerAlive, isAtWork, clock, log } = deps;

  /** Puts the run back into the queue unless somebody did so before. Time in which nobody worked on it does not count. */
  async function requeue(run: Run): Promise<void> {
    const lastSeenAt = (run.leaseExpiresAt ?? clock.now()) - LEASE_MS;
    const isFreed = await commit(async (tx, after) => {
      const wasFreed = await tx.runs.update(
        run.id,
        { from: ['running'], fence: run.fence },
        {
          status: 'queued',
          ...(run.deadlineAt !== undefined && { remainingMs: Math.max(0, run.deadlineAt - lastSeenAt) }),
        },
      );
      if (wasFreed) after.wake(run.lane, run.sessionKey);
      return wasFreed;
    });
    if (isFreed) log.warn({ runId: run.id, attempt: run.attempt }, 'a run was interrupted and goes on');
  }

  return {
    /** At start and regularly. Returns how many runs and calls were freed. */
    async freeDead(): Promise<{ readonly runs: number; readonly operations: number }> {
      const deadRunOwners = new Set((await read.runs.owners()).filter((owner) => !isOwnerAlive(owner)));
      const operationOwners = (await read.operations.owners()).filter((owner) => !isOwnerAlive(owner));
      if (deadRunOwners.size + operationOwners.length === 0) return { runs: 0, operations: 0 };
      const interrupted = (await read.runs.allActive(Number.MAX_SAFE_INTEGER)).filter(
        (run) => run.status === 'running' && run.owner !== undefined && deadRunOwners.has(run.owner),
      );
      for (const run of interrupted) await requeue(run);
      const operations = await commit(async (tx) => {
        const dead = (await tx.operations.owners()).filter((owner) => !isOwnerAlive(owner));
        return dead.length > 0 ? tx.operations.release(dead) : 0;
      });
      return { runs: interrupted.length, operations };
    },
    /**
     * Regularly: runs whose lease ran out. Not those at work here, whose lease is about to be renewed: the machine slept, or
     * its clock was set forward.
     */
    async freeExpired(): Promise<void> {
      for (const run of await read.runs.leaseExpired(clock.now(), BATCH)) {
        if (!isAtWork(run.id)) await requeue(run);
      }
    },
  };
}
