/** What people and the platform do to threads themselves. */

import type { Commit } from '../commit.ts';
import type { Address } from '../core/address.ts';
import type { Clock } from '../ports/clock.ts';
import type { Settings } from '../ports/settings.ts';
import { endBinding } from './bind.ts';

/** A thread was deleted or locked by people: its binding ends without a word, since nobody could read it. */
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

/** The platform put the thread to sleep: its binding is dormant, and the next message wakes both. Its timers run on. */
export async function threadArchived(commit: Commit, address: Address): Promise<void> {
  await commit(async (tx) => {
    const binding = await tx.bindings.live(address);
    if (binding?.state === 'active') await tx.bindings.update(binding.id, { state: 'dormant' });
  });
}
