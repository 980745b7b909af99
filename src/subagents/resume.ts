/** Lets a run that waits for subagents go on, once what it waits for has ended. */
import type { AfterCommit } from '../commit.ts';
import type { RunId } from '../core/ids.ts';
import { isActive } from '../core/run.ts';
import type { Run, Session, StoreTx } from '../ports/store/index.ts';

/** `ended`: the child's run that has ended just now. Does nothing while others are awaited, or if the run does not wait. */
export async function resumeWhenDone(
  tx: StoreTx,
  after: AfterCommit,
  requester: Session,
  joined: Run,
  ended: RunId,
): Promise<void> {
  const { waitingOn } = joined;
  if (joined.status !== 'waiting' || waitingOn?.kind !== 'children') return;
  if (waitingOn.until === 'all') {
    for (const id of waitingOn.runs) {
      if (id === ended) continue;
      const other = await tx.runs.get(id as RunId);
      if (other && isActive(other.status)) return;
    }
  }
  await tx.runs.update(joined.id, { from: ['waiting'] }, { status: 'queued', waitingOn: null });
  after.wake(joined.lane, requester.key);
}
