/**
 * Routing: whose session a place belongs to right now. A live binding wins; otherwise the key follows from the address.
 * The limits of a binding are checked here again, so that nothing written after its end reaches the old session, even
 * if no sweep has come by yet.
 */

import type { AfterCommit } from '../commit.ts';
import type { Address } from '../core/address.ts';
import type { SessionKey } from '../core/ids.ts';
import { keyForAddress, kindOfKey, parseSessionKey } from '../core/session-key.ts';
import { type Binding, expiryOf } from '../core/thread-binding.ts';
import type { Ids } from '../ports/ids.ts';
import type { Settings } from '../ports/settings.ts';
import type { Session, StoreTx } from '../ports/store/index.ts';
import { endBinding } from '../threads/bind.ts';

export interface Route {
  readonly session: Session;
  /** The binding that led there; absent for the place's ordinary session. */
  readonly binding?: Binding;
}

/** The binding of that place, ended on the spot if its time or its session is over. */
export async function liveBinding(
  tx: StoreTx,
  after: AfterCommit,
  settings: Settings,
  address: Address,
  now: number,
): Promise<Binding | undefined> {
  const binding = await tx.bindings.live(address);
  if (!binding || !settings.bindings(address.channel, address.account).isEnabled) return undefined;
  const expiry = expiryOf(binding);
  if (expiry && expiry.at <= now) {
    await endBinding(tx, after, settings, binding, expiry.reason, now);
    return undefined;
  }
  const session = await tx.sessions.get(binding.sessionKey);
  if (session && session.archivedAt === undefined) return binding;
  await endBinding(tx, after, settings, binding, 'session-archived', now);
  return undefined;
}

export async function routeAddress(
  tx: StoreTx,
  after: AfterCommit,
  settings: Settings,
  ids: Ids,
  address: Address,
  peer: string,
  now: number,
): Promise<Route> {
  const binding = await liveBinding(tx, after, settings, address, now);
  if (binding) return { session: (await tx.sessions.get(binding.sessionKey))!, binding };
  const key = keyForAddress(settings.agents[0]!, address, peer, settings.dmScope);
  return { session: await ensureChatSession(tx, ids, key, address, now) };
}

/** The ordinary session of a place, made when it is first spoken in. */
async function ensureChatSession(
  tx: StoreTx,
  ids: Ids,
  key: SessionKey,
  address: Address,
  now: number,
): Promise<Session> {
  const stored = await tx.sessions.get(key);
  if (stored) return stored;
  const parsed = parseSessionKey(key)!;
  return tx.sessions.ensure({
    key,
    id: ids.uuid(),
    kind: kindOfKey(parsed),
    agentId: 'agentId' in parsed ? parsed.agentId : 'main',
    displayName: address.chatType === 'direct' ? address.channel : `#${address.conversation}`,
    depth: 0,
    role: 'main',
    cleanup: 'keep',
    route: address,
    createdAt: now,
  });
}
