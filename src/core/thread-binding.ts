/**
 * Thread bindings: which session a thread speaks to, and for how long. Pure; `threads/` stores and carries out.
 */
import type { Address } from './address.ts';
import type { BindingId, SessionKey } from './ids.ts';
import type { Actor } from './message.ts';

export interface BindingLimits {
  /** Ends after this long without activity; 0 = never. */
  readonly idleMs: number;
  /** Ends this long after binding, whatever happens; 0 = never. */
  readonly maxAgeMs: number;
}

export type BindingEnd =
  | 'unfocused'
  | 'replaced'
  | 'idle'
  | 'max-age'
  | 'thread-deleted'
  | 'thread-locked'
  | 'session-archived';

export interface Binding extends BindingLimits {
  readonly id: BindingId;
  readonly address: Address;
  readonly sessionKey: SessionKey;
  /** Shown to people: the subagent's label, or the session's. */
  readonly label: string;
  readonly boundBy: Actor;
  readonly boundAt: number;
  readonly lastActivityAt: number;
  /** `dormant`: the platform archived the thread; the next message wakes it. The timers run on. */
  readonly state: 'active' | 'dormant' | 'ended';
  /** When the nearer of the two limits is reached; absent when both are off. */
  readonly expiresAt?: number;
  readonly endedAt?: number;
  readonly endReason?: BindingEnd;
}

/** Dates beyond this are not valid in JavaScript; a limit that leads further never expires in practice. */
const LAST_DATE_MS = 8.64e15;

/** When the binding ends if nothing more happens, and by which limit. `undefined` = never. */
export function expiryOf(
  binding: Pick<Binding, 'idleMs' | 'maxAgeMs' | 'boundAt' | 'lastActivityAt'>,
): { readonly at: number; readonly reason: 'idle' | 'max-age' } | undefined {
  const idleAt = binding.idleMs > 0 ? binding.lastActivityAt + binding.idleMs : Number.POSITIVE_INFINITY;
  const maxAgeAt = binding.maxAgeMs > 0 ? binding.boundAt + binding.maxAgeMs : Number.POSITIVE_INFINITY;
  const at = Math.min(idleAt, maxAgeAt);
  if (at === Number.POSITIVE_INFINITY) return undefined;
  return { at: Math.min(at, LAST_DATE_MS), reason: idleAt <= maxAgeAt ? 'idle' : 'max-age' };
}

/** What is left of each limit at `now`; never negative, absent where the limit is off. */
export function timeLeft(
  binding: Pick<Binding, 'idleMs' | 'maxAgeMs' | 'boundAt' | 'lastActivityAt'>,
  now: number,
): { readonly idleLeftMs?: number; readonly maxAgeLeftMs?: number } {
  const left = (sinceAt: number, limitMs: number) =>
    Math.max(0, Math.min(sinceAt + limitMs, LAST_DATE_MS) - now);
  return {
    ...(binding.idleMs > 0 && { idleLeftMs: left(binding.lastActivityAt, binding.idleMs) }),
    ...(binding.maxAgeMs > 0 && { maxAgeLeftMs: left(binding.boundAt, binding.maxAgeMs) }),
  };
}

/** Only the person who bound a thread, or an owner, may change or end its binding. */
export function mayControl(binding: Pick<Binding, 'boundBy'>, actor: Actor): boolean {
  return (
    actor.role === 'owner' || (binding.boundBy.channel === actor.channel && binding.boundBy.id === actor.id)
  );
}
