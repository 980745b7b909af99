/**
 * Which run takes an input in: the pure decision behind admission. A run that waits is the one, since the session is in
 * the middle of it; otherwise it depends on the queue mode, on where the reply is to go, and on what the input is. A message
 * never overtakes another one of its place that still waits to be taken in, unless it is meant for the run at work.
 */
import { isSamePlace } from './address.ts';
import type { RunId } from './ids.ts';
import type { Delivery, RunStatus, Trigger, WaitingOn } from './run.ts';

export type QueueMode = 'steer' | 'followup' | 'collect' | 'interrupt';

export interface ActiveRun {
  readonly id: RunId;
  readonly status: RunStatus;
  readonly trigger: Trigger;
  readonly waitingOn?: WaitingOn;
  readonly origin: { readonly delivery: Delivery };
  readonly cancelRequestedAt?: number;
}

export type Assignment =
  /** Taken in at the run's next step. */
  | { readonly kind: 'join'; readonly runId: RunId }
  /** The waiting run goes on because of it. */
  | { readonly kind: 'resume'; readonly runId: RunId }
  /** A run of its own, behind those that are there; `cancel` are stopped first. */
  | { readonly kind: 'new'; readonly cancel: readonly RunId[] };

export function isSameDelivery(a: Delivery, b: Delivery): boolean {
  if (a.kind === 'internal' || b.kind === 'internal') return a.kind === b.kind;
  return isSamePlace(a.address, b.address);
}

export interface AssignedInput {
  readonly trigger: Trigger;
  readonly delivery: Delivery;
  readonly mode: QueueMode;
  /** Meant for the run at work, whatever waits behind it. */
  readonly overtakes?: boolean;
}

/** `active`: oldest first. */
export function assignInput(input: AssignedInput, active: readonly ActiveRun[]): Assignment {
  const open = active.filter((run) => run.cancelRequestedAt === undefined);
  const queued = open.findLast(
    (run) =>
      run.status === 'queued' &&
      run.trigger === input.trigger &&
      isSameDelivery(run.origin.delivery, input.delivery),
  );
  const isBehind = input.trigger === 'message' && queued !== undefined && input.overtakes !== true;
  const waiting = open.find((run) => run.status === 'waiting');
  if (waiting && !isBehind) {
    const kind = waiting.waitingOn?.kind === 'children' ? 'resume' : 'join';
    return { kind, runId: waiting.id };
  }
  const running = open.find((run) => run.status === 'running');
  const isHere = running !== undefined && isSameDelivery(running.origin.delivery, input.delivery);
  if (running && isHere && input.mode === 'interrupt' && input.trigger === 'message') {
    return { kind: 'new', cancel: [running.id] };
  }
  const canSteer = input.mode === 'steer' && input.trigger === 'message';
  if (running && canSteer && !isBehind && isHere) {
    return { kind: 'join', runId: running.id };
  }
  if (queued && input.mode !== 'followup') return { kind: 'join', runId: queued.id };
  return { kind: 'new', cancel: [] };
}
