/** Ends bindings whose time has come; called by the sweeper. Each is ended once, whatever the number of processes. */

import type { Commit } from '../commit.ts';
import { expiryOf } from '../core/thread-binding.ts';
import type { Clock } from '../ports/clock.ts';
import type { Settings } from '../ports/settings.ts';
import type { StoreReads } from '../ports/store/index.ts';
import { endBinding } from './bind.ts';

const BATCH = 50;

export async function expireBindings(
  read: StoreReads,
  commit: Commit,
  settings: Settings,
  clock: Clock,
): Promise<void> {
  const due = await read.bindings.due(clock.now(), BATCH);
  for (const { id } of due) {
    await commit(async (tx, after) => {
      const binding = await tx.bindings.get(id);
      if (!binding || binding.state === 'ended') return;
      const expiry = expiryOf(binding);
      if (expiry && expiry.at <= clock.now())
        await endBinding(tx, after, settings, binding, expiry.reason, clock.now());
    });
  }
}
