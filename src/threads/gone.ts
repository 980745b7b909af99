/**
 * What people and the platform do to threads themselves. A thread that is gone ends its binding without a word, since nobody
 * could read it; what was being worked out for it goes to whoever asked for it, or is stopped where nobody would hear it.
 */

import type { AfterCommit, Commit } from '../commit.ts';
import { type Address, isSamePlace, parentAddress } from '../core/address.ts';
import { operationId } from '../core/ids.ts';
import { isActive } from '../core/run.ts';
import { keyForAddress } from '../core/session-key.ts';
import { labelOf } from '../core/session-label.ts';
import type { Binding } from '../core/thread-binding.ts';
import type { Clock } from '../ports/clock.ts';
import type { Settings } from '../ports/settings.ts';
import type { Run, Session, StoreTx } from '../ports/store/index.ts';
import type { Stop } from '../subagents/stop.ts';
import { endBinding } from './bind.ts';

export interface ThreadGoneDeps {
  readonly commit: Commit;
  readonly settings: Settings;
  readonly stop: Stop;
  readonly clock: Clock;
}

const ACTIVE = ['queued', 'running', 'waiting'] as const;

/** `gone` holds that place: it is the place itself, or its whole conversation. */
function isWithin(place: Address, gone: Address): boolean {
  return isSamePlace(gone.thread === undefined ? parentAddress(place) : place, gone);
}

export function createThreadGone(deps: ThreadGoneDeps) {
  const { commit, settings, stop, clock } = deps;

  async function bindingsWithin(tx: StoreTx, gone: Address): Promise<readonly Binding[]> {
    const own = await tx.bindings.live(gone);
    const ofThreads = gone.thread === undefined ? await tx.bindings.ofConversation(gone) : [];
    return [...(own ? [own] : []), ...ofThreads];
  }

  /** The result will be announced, as it is for a subagent without a thread. */
  async function reroute(tx: StoreTx, after: AfterCommit, run: Run, session: Session, how: string) {
    const to = run.origin.announceTo;
    if (to?.kind !== 'external') return;
    const { address } = to;
    const text = `The thread of **${labelOf(session)}** was ${how}. It goes on, and its result will come here.`;
    await tx.operations.insert(
      [
        {
          id: operationId(`gone:${run.id}`),
          address,
          call: { kind: 'send', text },
          purpose: { kind: 'notice' },
        },
      ],
      clock.now(),
    );
    after.publish({ type: 'operations', channel: address.channel, account: address.account });
  }

  async function releaseRuns(
    tx: StoreTx,
    after: AfterCommit,
    session: Session,
    gone: Address,
    how: string,
  ): Promise<void> {
    const lost: Run[] = [];
    let isHeard = false;
    for (const run of await tx.runs.active(session.key)) {
      const { delivery, announceTo: to } = run.origin;
      if (delivery.kind === 'internal' || !isWithin(delivery.address, gone)) {
        isHeard = true;
        continue;
      }
      const origin = { ...run.origin, delivery: { kind: 'internal' } as const };
      await tx.runs.update(run.id, { from: ACTIVE }, { origin });
      if (to === undefined || (to.kind === 'external' && isWithin(to.address, gone))) {
        lost.push(run);
        continue;
      }
      isHeard = true;
      await reroute(tx, after, run, session, how);
    }
    if (lost.length === 0) return;
    // Subagents below work for the session: they are stopped with it, unless some of its work goes on.
    if (!isHeard) await stop.stopSession(tx, after, session);
    else for (const run of lost) if (isActive(run.status)) await stop.stopRun(tx, after, run.id);
  }

  /** `gone`: a thread, or a conversation with all its threads. */
  return async function threadGone(gone: Address, reason: 'deleted' | 'locked'): Promise<void> {
    await commit(async (tx, after) => {
      // A locked place can still be read.
      if (reason === 'deleted') await tx.cursors.removePlace(gone);
      const bindings = await bindingsWithin(tx, gone);
      for (const binding of bindings) {
        await endBinding(tx, after, settings, binding, `thread-${reason}`, clock.now());
      }
      const keys = new Set(bindings.map(({ sessionKey }) => sessionKey));
      if (gone.chatType !== 'direct')
        keys.add(keyForAddress(settings.agents[0]!, gone, '', settings.dmScope));
      for (const key of keys) {
        const session = await tx.sessions.get(key);
        if (session) await releaseRuns(tx, after, session, gone, reason);
      }
    });
  };
}

/** The platform put the thread to sleep: its binding is dormant, and the next message wakes both. Its timers run on. */
export async function threadArchived(commit: Commit, address: Address): Promise<void> {
  await commit(async (tx) => {
    const binding = await tx.bindings.live(address);
    if (binding?.state === 'active') await tx.bindings.update(binding.id, { state: 'dormant' });
  });
}
