/**
 * Archiving: a subagent's session whose time has come leaves the lists, its bindings end, and its transcript is kept. One
 * that still has something to do is looked at again later.
 */
import type { Commit } from '../commit.ts';
import type { Clock } from '../ports/clock.ts';
import type { Settings } from '../ports/settings.ts';
import type { Session, StoreReads, StoreTx } from '../ports/store/index.ts';
import { endBinding } from '../threads/bind.ts';

const BATCH = 20;
const LOOK_AGAIN_MS = 60_000;
/** A session to be deleted after its announcement is looked at again soon. */
const LOOK_AGAIN_SOON_MS = 1_000;

export async function archiveDue(
  read: StoreReads,
  commit: Commit,
  settings: Settings,
  clock: Clock,
): Promise<void> {
  for (const { key } of await read.sessions.dueForArchive(clock.now(), BATCH)) {
    await commit(async (tx, after) => {
      const session = await tx.sessions.get(key);
      const now = clock.now();
      if (!session || session.archivedAt !== undefined || session.archiveAt === undefined) return;
      if (await isBusy(tx, session)) {
        const wait = session.cleanup === 'delete' ? LOOK_AGAIN_SOON_MS : LOOK_AGAIN_MS;
        await tx.sessions.update(key, { archiveAt: now + wait }, now);
        return;
      }
      for (const binding of await tx.bindings.ofSession(key)) {
        await endBinding(tx, after, settings, binding, 'session-archived', now);
      }
      await tx.sessions.update(key, { archivedAt: now, archiveAt: null, isPinned: false }, now);
    });
  }
}

async function isBusy(tx: StoreTx, session: Session): Promise<boolean> {
  if ((await tx.runs.active(session.key)).length > 0) return true;
  for (const child of await tx.sessions.descendants(session.key)) {
    if ((await tx.runs.active(child.key)).length > 0) return true;
  }
  for (const run of await tx.runs.ofSession(session.key, BATCH)) {
    const announce = await tx.announces.get(run.id);
    if (announce && ['handed', 'delivering'].includes(announce.status)) return true;
  }
  return session.cleanup !== 'delete' && (await tx.bindings.ofSession(session.key)).length > 0;
}
