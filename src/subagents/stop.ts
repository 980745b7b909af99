/**
 * Stopping: a session's work and everything below it. What is queued or waits ends at once; what runs is asked to end and
 * does so within moments. The counts are of runs that were really stopped.
 */
import type { AfterCommit } from '../commit.ts';
import type { RunId } from '../core/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Run, Session, StoreTx } from '../ports/store/index.ts';
import { requestCancel } from '../runs/enqueue.ts';
import { takeBackSigns } from '../runs/queued-sign.ts';
import type { Settlement } from '../runs/settle.ts';

export interface Stopped {
  /** Runs of the session itself. */
  readonly own: number;
  /** Subagents below it. */
  readonly subagents: number;
  /** Messages of people that waited to be taken in and never will be. */
  readonly cleared: number;
}

export function createStop(deps: { settlement: Settlement; clock: Clock }) {
  const { settlement, clock } = deps;

  async function stopRun(tx: StoreTx, after: AfterCommit, run: Run): Promise<boolean> {
    const now = clock.now();
    if (run.status === 'running') {
      if (run.cancelRequestedAt !== undefined) return false;
      return requestCancel(tx, after, run.id, 'stopped by a person', now);
    }
    return settlement.end(
      tx,
      after,
      run,
      { from: ['queued', 'waiting'] },
      {
        status: 'cancelled',
        outcome: { text: '', error: { code: 'cancelled', message: 'stopped by a person' } },
        usage: run.usage,
      },
      now,
    );
  }

  /**
   * Parents first, so that the end of a child finds nobody waiting who is to be stopped as well. What waits for a stopped
   * run is never taken in; what waits for whichever run comes next (a result to be known of) is kept.
   */
  async function stopSession(tx: StoreTx, after: AfterCommit, session: Session): Promise<Stopped> {
    let own = 0;
    let cleared = 0;
    for (const run of await tx.runs.active(session.key)) {
      if (!(await stopRun(tx, after, run))) continue;
      own++;
      const pending = await tx.inputs.pending(run.id);
      takeBackSigns(after, run.origin.delivery, pending);
      cleared += pending.filter((input) => input.provenance.kind === 'user').length;
    }
    let subagents = 0;
    for (const child of await tx.sessions.descendants(session.key)) {
      if (child.archivedAt !== undefined) continue;
      let hadRun = false;
      for (const run of await tx.runs.active(child.key)) hadRun = (await stopRun(tx, after, run)) || hadRun;
      if (hadRun) subagents++;
    }
    return { own, subagents, cleared };
  }

  return {
    stopSession,
    /** Stops one subagent and what is below it; returns how many were stopped, itself included. */
    async stopSubagent(tx: StoreTx, after: AfterCommit, child: Session): Promise<number> {
      const stopped = await stopSession(tx, after, child);
      return (stopped.own > 0 ? 1 : 0) + stopped.subagents;
    },
    stopRun: (tx: StoreTx, after: AfterCommit, id: RunId) =>
      tx.runs.get(id).then((run) => (run ? stopRun(tx, after, run) : false)),
  };
}

export type Stop = ReturnType<typeof createStop>;
