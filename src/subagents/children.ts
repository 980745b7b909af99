/** The subagents of a session, one level down; those that have been archived are gone. */
import type { Session, StoreReads } from '../ports/store/index.ts';

/** In the order of their numbers. */
export async function childrenOf(
  read: Pick<StoreReads, 'sessions'>,
  { key }: Pick<Session, 'key'>,
): Promise<readonly Session[]> {
  return (await read.sessions.children(key)).filter(({ archivedAt }) => archivedAt === undefined);
}

/** How many of them have something to do, or wait for it. */
export async function countActive(
  read: Pick<StoreReads, 'runs'>,
  children: readonly Session[],
): Promise<number> {
  let count = 0;
  for (const { key } of children) if ((await read.runs.active(key)).length > 0) count++;
  return count;
}
