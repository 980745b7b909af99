/**
 * Who hears of a subagent's end: the nearest session above that is still there, which of its runs takes the result in, and
 * the place where it is announced. Only looks; changes nothing.
 */
import type { RunId } from '../core/ids.ts';
import type { Delivery, Origin } from '../core/run.ts';
import type { Run, Session, StoreTx } from '../ports/store/index.ts';

/** How far back the task of a session is looked for. */
const MAX_RUNS = 100;

/** The nearest session up the tree that can still be told. */
export async function livingRequester(tx: StoreTx, child: Session): Promise<Session | undefined> {
  return (await climb(tx, child, { kind: 'internal' })).requester;
}

/**
 * The same, with the place where it is to be announced: that of the direct requester, or, past sessions that are gone, the
 * one where their own results would have been.
 */
export async function climb(
  tx: StoreTx,
  child: Session,
  announceTo: Delivery,
): Promise<{ readonly requester: Session | undefined; readonly announceTo: Delivery }> {
  let to = announceTo;
  let key = child.spawnedBy;
  while (key !== undefined) {
    const session = await tx.sessions.get(key);
    if (!session) break;
    if (session.archivedAt === undefined) return { requester: session, announceTo: to };
    if (to.kind === 'internal') to = (await ownAnnounceTo(tx, session)) ?? to;
    key = session.spawnedBy;
  }
  return { requester: undefined, announceTo: to };
}

/** Where what the session has found is announced. */
export async function ownAnnounceTo(tx: StoreTx, session: Session): Promise<Delivery | undefined> {
  // Later turns in its thread are not announced; its task was.
  const runs = await tx.runs.ofSession(session.key, MAX_RUNS);
  return runs.find((run) => run.origin.announceTo !== undefined)?.origin.announceTo;
}

/** The requester's run that waits for that run. */
export async function waitingFor(tx: StoreTx, requester: Session, child: RunId): Promise<Run | undefined> {
  const active = await tx.runs.active(requester.key);
  return active.find((run) => run.waitingOn?.kind === 'children' && run.waitingOn.runs.includes(child));
}

/** A subagent that is still at work takes its children's results into that work; it has no other turn to tell them in. */
export async function busyParent(tx: StoreTx, requester: Session): Promise<Run | undefined> {
  if (requester.role === 'main') return undefined;
  const active = await tx.runs.active(requester.key);
  return active.find((run) => run.cancelRequestedAt === undefined);
}

/**
 * A nested requester that has ended already is nobody's turn any more: what it makes of a late result is announced to
 * those above it, as its own result was.
 */
export async function heardOrigin(tx: StoreTx, requester: Session, origin: Origin): Promise<Origin> {
  if (origin.delivery.kind === 'external' || requester.role === 'main') return origin;
  const announceTo = await ownAnnounceTo(tx, requester);
  return announceTo === undefined ? origin : { ...origin, announceTo };
}
