/**
 * The states of a run and what may follow what. A run is one answer being worked out: it begins with the inputs that
 * were assigned to it and ends with at most one reply.
 *
 *   queued → running → succeeded | failed | timed_out | cancelled | interrupted
 *              ↓ ↑
 *            waiting (on children, or on a platform operation)
 */
import type { Address } from './address.ts';
import type { Actor } from './message.ts';

export const LANES = ['main', 'subagent'] as const;
export type Lane = (typeof LANES)[number];

export const RUN_STATUSES = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'interrupted',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export type EndedStatus = 'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'interrupted';

export const ACTIVE_STATUSES = ['queued', 'running', 'waiting'] as const satisfies readonly RunStatus[];

export function isActive(status: RunStatus): boolean {
  return (ACTIVE_STATUSES as readonly RunStatus[]).includes(status);
}

/** What a waiting run waits for. It holds neither a lease nor a place in its lane. */
export type WaitingOn =
  | { readonly kind: 'children'; readonly runs: readonly string[]; readonly until: 'all' | 'any' }
  | { readonly kind: 'operation'; readonly operation: string };

/** What made the run begin. Inputs of one kind are never gathered into a run of another. */
export type Trigger = 'message' | 'task' | 'completion';

/**
 * Where the reply of a run goes, frozen when the run is made: later traffic in the session does not move it.
 * `internal` replies stay in the transcript (a nested subagent reports through its completion alone).
 */
export type Delivery =
  | { readonly kind: 'external'; readonly address: Address }
  | { readonly kind: 'internal' };

export interface Origin {
  readonly delivery: Delivery;
  /** Subagents only: where the requester's announcement of this run goes, frozen at spawn. */
  readonly announceTo?: Delivery;
  /** The person whose message led here; decides who owns a binding made by this run. */
  readonly actor?: Actor;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
  };
}

/** How a run ended. `text` is its final words; `error` is for people, with the code that chose the wording. */
export interface Outcome {
  readonly text: string;
  readonly error?: { readonly code: string; readonly message: string };
}
