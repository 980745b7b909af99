/**
 * Puts an input before a session: joined to the run that will take it in, or with a new run of its own. Everything
 * that makes a session work goes through here, inside the caller's transaction.
 */

import type { AfterCommit } from '../commit.ts';
import { assignInput, isSameDelivery, type QueueMode } from '../core/assignment.ts';
import { runId as asRunId, type InputId, type OperationId, type RunId } from '../core/ids.ts';
import type { Lane, Origin, Trigger } from '../core/run.ts';
import type { Picture, Provenance } from '../core/transcript.ts';
import type { Ids } from '../ports/ids.ts';
import type { Run, Session, StoreTx } from '../ports/store/index.ts';

export interface Enqueue {
  readonly session: Session;
  readonly inputId: InputId;
  readonly text: string;
  readonly images?: readonly Picture[];
  readonly provenance: Provenance;
  readonly trigger: Trigger;
  readonly origin: Origin;
  readonly mode: QueueMode;
  /** Meant for the run at work, whatever waits behind it. */
  readonly overtakes?: boolean;
  /** A run made for it does not begin before that call has ended. */
  readonly waitsFor?: OperationId;
  /** What comes in quick succession behind a run at work is gathered; 0 or absent = not. */
  readonly debounceMs?: number;
}

export function laneOf(session: Pick<Session, 'depth'>): Lane {
  return session.depth > 0 ? 'subagent' : 'main';
}

export function newRunId(ids: Ids): RunId {
  return asRunId(`run_${ids.uuid().replaceAll('-', '')}`);
}

/** Returns the run that will take the input in. */
export async function enqueueInput(
  tx: StoreTx,
  after: AfterCommit,
  ids: Ids,
  work: Enqueue,
  now: number,
): Promise<RunId> {
  const { session, trigger, origin, mode, overtakes = false } = work;
  const active = await tx.runs.active(session.key);
  const assignment = assignInput({ trigger, delivery: origin.delivery, mode, overtakes }, active);
  const lane = laneOf(session);
  let run: RunId;
  if (assignment.kind === 'new') {
    run = newRunId(ids);
    // What a replaced run had not taken in, and owed to others, goes to the run that replaces it.
    const replaced = active.filter(({ id }) => assignment.cancel.includes(id));
    const owed = replaced.find((other) => other.origin.announceTo !== undefined)?.origin.announceTo;
    const inherited = { ...origin, ...(owed !== undefined && { announceTo: owed }) };
    const fresh = {
      id: run,
      sessionKey: session.key,
      lane,
      trigger,
      origin: inherited,
      ...(work.waitsFor === undefined
        ? { status: 'queued' as const }
        : {
            status: 'waiting' as const,
            waitingOn: { kind: 'operation' as const, operation: work.waitsFor },
          }),
    };
    await tx.runs.insert(fresh, now);
    for (const { id } of replaced) {
      await requestCancel(tx, after, id, 'replaced by a newer message', now);
      const pending = await tx.inputs.pending(id);
      await tx.inputs.assign(
        pending.map((input) => input.id),
        run,
      );
    }
  } else {
    run = assignment.runId;
    if (assignment.kind === 'resume') await resumeRun(tx, run);
  }
  const isBehindWork = active.some((other) => other.status === 'running' && other.id !== run);
  if (mode === 'collect' && isBehindWork && work.debounceMs) {
    await tx.runs.update(run, { from: ['queued'] }, { notBefore: now + work.debounceMs });
  }
  await tx.inputs.insert(
    {
      id: work.inputId,
      sessionKey: session.key,
      runId: run,
      text: work.text,
      ...(work.images && { images: work.images }),
      provenance: work.provenance,
    },
    now,
  );
  after.wake(lane, session.key);
  return run;
}

/** What a run was to take in and has not looked at; completions stay, since its end decides how they are told. */
async function untouched(tx: StoreTx, run: RunId): Promise<readonly InputId[]> {
  const pending = await tx.inputs.pending(run);
  return pending.filter(({ provenance }) => provenance.kind !== 'completion').map(({ id }) => id);
}

/**
 * A run has failed before it took in what had joined it: that goes to the session's next run for the same place, made here
 * if there is none.
 */
export async function passOn(tx: StoreTx, ids: Ids, failed: Run, now: number): Promise<void> {
  const inputs = await untouched(tx, failed.id);
  if (inputs.length === 0) return;
  const { sessionKey, lane, origin } = failed;
  const { announceTo: _toldAlready, ...place } = origin;
  const next = (await tx.runs.active(sessionKey)).find(
    (run) =>
      run.status === 'queued' &&
      run.trigger === 'message' &&
      isSameDelivery(run.origin.delivery, origin.delivery),
  );
  const run = next?.id ?? newRunId(ids);
  if (!next) {
    // Where replies stay in the transcript, only the announcement is ever heard.
    const to = origin.delivery.kind === 'external' ? place : origin;
    await tx.runs.insert(
      { id: run, sessionKey, lane, trigger: 'message', status: 'queued', origin: to },
      now,
    );
  }
  await tx.inputs.assign(inputs, run);
}

/** A waiting run goes on at its next claim. */
export async function resumeRun(tx: StoreTx, run: RunId): Promise<boolean> {
  return tx.runs.update(run, { from: ['waiting'] }, { status: 'queued', waitingOn: null });
}

/** Asks whoever executes the run to stop it; the row is the truth, the signal makes it prompt. */
export async function requestCancel(
  tx: StoreTx,
  after: AfterCommit,
  run: RunId,
  reason: string,
  now: number,
): Promise<boolean> {
  const isAsked = await tx.runs.update(
    run,
    { from: ['running'] },
    { cancelRequestedAt: now, cancelReason: reason },
  );
  if (isAsked) after.publish({ type: 'cancel', runId: run });
  return isAsked;
}
