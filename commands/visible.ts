/** Which sessions somebody may name by key, id or label: those that belong to the place where they ask. */
import { type Address, parentAddress, placeKey } from '../src/core/address.ts';
import type { Session, StoreTx } from '../src/ports/store/index.ts';

/**
 * A session belongs to a conversation when it was last spoken to there, or when one of those that it was spawned from was.
 * A session of another server, channel or direct conversation is as good as none.
 */
export async function belongsTo(tx: StoreTx, session: Session, place: Address): Promise<boolean> {
  const conversation = placeKey(parentAddress(place));
  let current: Session | undefined = session;
  while (current) {
    if (current.route && placeKey(parentAddress(current.route)) === conversation) return true;
    current = current.spawnedBy === undefined ? undefined : await tx.sessions.get(current.spawnedBy);
  }
  return false;
}
