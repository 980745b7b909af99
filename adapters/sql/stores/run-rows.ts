/** Runs as rows, both ways. */
import type { Insertable, Selectable } from 'kysely';
import { runId } from '../../../src/core/ids.ts';
import { type Lane, NO_USAGE, type RunStatus, type Trigger } from '../../../src/core/run.ts';
import type { NewRun, Run, RunPatch } from '../../../src/ports/store/index.ts';
import { originJson, outcomeJson, usageJson, waitingOnJson } from '../json-columns.ts';
import { wordOf } from '../literals.ts';
import { json, named, present } from '../optional.ts';
import type { RunTable } from '../schema.ts';
import { sessionKey } from './session-rows.ts';

const laneOf = wordOf<Lane>({ main: true, subagent: true });
const triggerOf = wordOf<Trigger>({ message: true, task: true, completion: true });
const statusOf = wordOf<RunStatus>({
  queued: true,
  running: true,
  waiting: true,
  succeeded: true,
  failed: true,
  timed_out: true,
  cancelled: true,
  interrupted: true,
});

export function toRun(row: Selectable<RunTable>): Run {
  return {
    id: runId(row.id),
    seq: row.seq,
    sessionKey: sessionKey(row.session_key),
    lane: laneOf(row.lane),
    trigger: triggerOf(row.cause),
    status: statusOf(row.status),
    origin: originJson.parse(row.origin),
    step: row.step,
    attempt: row.attempt,
    fence: row.fence,
    usage: usageJson.parse(row.usage),
    partialReply: row.partial_reply,
    createdAt: row.created_at,
    ...present({
      waitingOn: waitingOnJson.parseOptional(row.waiting_on) ?? null,
      model: row.model,
      thinking: row.thinking,
      owner: row.owner,
      leaseExpiresAt: row.lease_expires_at,
      remainingMs: row.remaining_ms,
      deadlineAt: row.deadline_at,
      notBefore: row.not_before,
      cancelRequestedAt: row.cancel_requested_at,
      cancelReason: row.cancel_reason,
      outcome: outcomeJson.parseOptional(row.outcome) ?? null,
      startedAt: row.started_at,
      endedAt: row.ended_at,
    }),
  };
}

export const NEW_RUN_COLUMNS = [
  'id',
  'session_key',
  'lane',
  'cause',
  'status',
  'waiting_on',
  'origin',
  'model',
  'thinking',
  'remaining_ms',
  'usage',
  'created_at',
] as const;
export type NewRunRow = Pick<Insertable<RunTable>, (typeof NEW_RUN_COLUMNS)[number]>;

export function fromNewRun(run: NewRun, now: number): NewRunRow {
  return {
    id: run.id,
    session_key: run.sessionKey,
    lane: run.lane,
    cause: run.trigger,
    status: run.status,
    waiting_on: json(run.waitingOn) ?? null,
    origin: JSON.stringify(run.origin),
    model: run.model ?? null,
    thinking: run.thinking ?? null,
    remaining_ms: run.remainingMs ?? null,
    usage: JSON.stringify(NO_USAGE),
    created_at: now,
  };
}

/** A run that is not running has no owner, no lease and no deadline. */
const NOT_RUNNING = { owner: null, lease_expires_at: null, deadline_at: null } as const;

export function fromRunPatch(patch: RunPatch) {
  return {
    ...named({
      status: patch.status,
      waiting_on: json(patch.waitingOn),
      origin: json(patch.origin),
      step: patch.step,
      attempt: patch.attempt,
      owner: patch.owner,
      lease_expires_at: patch.leaseExpiresAt,
      remaining_ms: patch.remainingMs,
      deadline_at: patch.deadlineAt,
      not_before: patch.notBefore,
      cancel_requested_at: patch.cancelRequestedAt,
      cancel_reason: patch.cancelReason,
      usage: json(patch.usage),
      partial_reply: patch.partialReply,
      outcome: json(patch.outcome),
      ended_at: patch.endedAt,
    }),
    ...(patch.status !== undefined && patch.status !== 'running' && NOT_RUNNING),
  };
}
