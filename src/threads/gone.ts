/** A thread was deleted or locked by people: its binding ends without a word, since nobody could read it. */

import type { Commit } from '../commit.ts';
import type { Address } from '../core/address.ts';
import type { Clock } from '../ports/clock.ts';
import type { Settings } from '../ports/settings.ts';
import { endBinding } from './bind.ts';

export async function threadGone(
  commit: Commit,
  settings: Settings,
  clock: Clock,
  address: Address,
  reason: 'deleted' | 'locked',
): Promise<void> {
  await commit(async (tx, after) => {
    const binding = await tx.bindings.live(address);
    if (binding) await endBinding(tx, after, settings, binding, `thread-${reason}`, clock.now());
  });
}
