/**
 * Binding a thread to a session, changing its timers, and ending the binding. Every function works inside the caller's
 * transaction and leaves its notice as an operation, so that binding and notice exist together or not at all.
 */
import { createHash } from 'node:crypto';
import type { AfterCommit } from '../commit.ts';
import { type Address, placeKey } from '../core/address.ts';
import { type BindingId, bindingId, operationId, type SessionKey } from '../core/ids.ts';
import type { Actor } from '../core/message.ts';
import { type Binding, type BindingEnd, type BindingLimits, expiryOf } from '../core/thread-binding.ts';
import type { Settings } from '../ports/settings.ts';
import type { StoreTx } from '../ports/store/index.ts';
import { boundNotice, endedNotice } from './notices.ts';

export interface NewBinding extends BindingLimits {
  readonly address: Address;
  readonly sessionKey: SessionKey;
  readonly label: string;
  readonly agentId: string;
  readonly boundBy: Actor;
  /** False where the platform keeps unmentioned messages from us; the notice says so. */
  readonly readsUnmentioned: boolean;
  /** Names for good what led to this binding: a use of a command, or the run of a spawned subagent. */
  readonly key: string;
}

function newBindingId({ address, key }: NewBinding): BindingId {
  const digest = createHash('sha256')
    .update(`${placeKey(address)}\n${key}`)
    .digest('hex');
  return bindingId(`bind_${digest.slice(0, 24)}`);
}

/** Binds the thread, ending the binding that it had. Its first notice tells readers who is there and how to leave. */
export async function bindThread(
  tx: StoreTx,
  after: AfterCommit,
  settings: Settings,
  wanted: NewBinding,
  now: number,
): Promise<Binding> {
  const earlier = await tx.bindings.live(wanted.address);
  if (earlier) await endBinding(tx, after, settings, earlier, 'replaced', now, wanted.boundBy);
  const times = { idleMs: wanted.idleMs, maxAgeMs: wanted.maxAgeMs, boundAt: now, lastActivityAt: now };
  const expiry = expiryOf(times);
  const binding: Binding = {
    ...times,
    id: newBindingId(wanted),
    address: wanted.address,
    sessionKey: wanted.sessionKey,
    label: wanted.label,
    boundBy: wanted.boundBy,
    state: 'active',
    ...(expiry && { expiresAt: expiry.at }),
  };
  await tx.bindings.insert(binding);
  await tx.sessions.update(wanted.sessionKey, { archiveAt: null }, now);
  await tx.operations.insert(
    [
      {
        id: operationId(`${binding.id}:bound`),
        address: wanted.address,
        call: { kind: 'send', text: boundNotice(wanted) },
        purpose: { kind: 'notice' },
      },
    ],
    now,
  );
  after.publish({ type: 'operations', channel: wanted.address.channel, account: wanted.address.account });
  after.publish({ type: 'binding', address: wanted.address, sessionKey: wanted.sessionKey });
  return binding;
}

/** Ends in which the thread can no longer be spoken in, or the notice of what replaces it says enough. */
const SILENT_ENDS: readonly BindingEnd[] = ['thread-deleted', 'thread-locked', 'replaced'];

/**
 * Ends the binding once and posts one notice with the reason; a subagent's session begins to age towards its archive.
 * Returns false if it had ended before.
 */
export async function endBinding(
  tx: StoreTx,
  after: AfterCommit,
  settings: Settings,
  binding: Binding,
  reason: BindingEnd,
  now: number,
  endedBy?: Actor,
): Promise<boolean> {
  if (!(await tx.bindings.end(binding.id, reason, endedBy, now))) return false;
  const session = await tx.sessions.get(binding.sessionKey);
  if (session && session.depth > 0) {
    const { archiveAfterMs } = settings.subagents(session.agentId);
    if (archiveAfterMs > 0) await tx.sessions.update(session.key, { archiveAt: now + archiveAfterMs }, now);
  }
  if (!SILENT_ENDS.includes(reason)) {
    await tx.operations.insert(
      [
        {
          id: operationId(`${binding.id}:ended`),
          address: binding.address,
          call: { kind: 'send', text: endedNotice(binding, reason) },
          purpose: { kind: 'notice' },
        },
      ],
      now,
    );
    after.publish({ type: 'operations', channel: binding.address.channel, account: binding.address.account });
  }
  after.publish({ type: 'binding', address: binding.address, sessionKey: binding.sessionKey });
  return true;
}

/** Somebody spoke to the session, or it replied: the idle clock starts anew and a dormant binding wakes. */
export async function touchBinding(
  tx: StoreTx,
  after: AfterCommit,
  binding: Binding,
  now: number,
): Promise<void> {
  const lastActivityAt = Math.max(now, binding.lastActivityAt);
  const expiry = expiryOf({ ...binding, lastActivityAt });
  await tx.bindings.update(binding.id, { lastActivityAt, state: 'active', expiresAt: expiry?.at ?? null });
  after.publish({ type: 'binding', address: binding.address, sessionKey: binding.sessionKey });
}

/**
 * Sets one timer. A new idle limit counts from now; a new maximum age counts from when the thread was bound.
 * Returns the binding as stored, or undefined if it has ended meanwhile.
 */
export async function setBindingLimit(
  tx: StoreTx,
  after: AfterCommit,
  binding: Binding,
  limit: Partial<BindingLimits>,
  now: number,
): Promise<Binding | undefined> {
  const changed = { ...binding, ...limit, ...(limit.idleMs !== undefined && { lastActivityAt: now }) };
  const expiry = expiryOf(changed);
  const isStored = await tx.bindings.update(binding.id, {
    idleMs: changed.idleMs,
    maxAgeMs: changed.maxAgeMs,
    lastActivityAt: changed.lastActivityAt,
    expiresAt: expiry?.at ?? null,
  });
  if (!isStored) return undefined;
  after.publish({ type: 'binding', address: binding.address, sessionKey: binding.sessionKey });
  const { expiresAt: _before, ...rest } = changed;
  return { ...rest, ...(expiry && { expiresAt: expiry.at }) };
}
