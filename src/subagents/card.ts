/** The run card of a thread-bound subagent, from its rows. */
import type { CardAction, RunCard } from '../core/card.ts';
import { type OperationId, operationId, type RunId } from '../core/ids.ts';
import { isActive, type RunStatus, type Usage } from '../core/run.ts';
import type { Run, Session, StoreReads } from '../ports/store/index.ts';

export const cardOperation = (run: RunId): OperationId => operationId(`card:${run}`);

/** What people call the session. */
export function labelOf(
  session: Pick<Session, 'label' | 'taskName' | 'ordinal' | 'displayName' | 'agentId'>,
): string {
  const given = session.label ?? session.taskName;
  if (given !== undefined) return given;
  return session.ordinal === undefined
    ? (session.displayName ?? session.agentId)
    : `subagent ${session.ordinal}`;
}

export interface CardFacts {
  readonly run: Pick<Run, 'id' | 'startedAt' | 'endedAt'> & { readonly usage: Usage };
  readonly session: Session;
  readonly state: 'opening' | RunStatus;
  readonly thread?: string;
  readonly isBound: boolean;
  readonly tool?: string;
  readonly activeChildren: number;
  readonly note?: string;
}

export function runCard(facts: CardFacts): RunCard {
  const { run, session, state, thread } = facts;
  const isLive = state === 'opening' || isActive(state);
  const actions: CardAction[] = [];
  if (isLive) actions.push({ label: 'Stop', command: `/subagents kill ${run.id}` });
  if (thread !== undefined && facts.isBound) actions.push({ label: 'Unfocus', command: '/unfocus', thread });
  return {
    runId: run.id,
    agent: session.agentId,
    label: labelOf(session),
    state,
    usage: run.usage,
    activeChildren: facts.activeChildren,
    actions,
    ...(thread !== undefined && { thread }),
    ...(facts.tool !== undefined && { tool: facts.tool }),
    ...(run.startedAt !== undefined && { startedAt: run.startedAt }),
    ...(run.endedAt !== undefined && { endedAt: run.endedAt }),
    ...(facts.note !== undefined && { note: facts.note }),
  };
}

const STATE_WORDS: Record<RunCard['state'], string> = {
  opening: 'opening a thread',
  queued: 'queued',
  running: 'working',
  waiting: 'waiting',
  succeeded: 'done',
  failed: 'failed',
  timed_out: 'timed out',
  cancelled: 'stopped',
  interrupted: 'interrupted',
};

/** The card for places that draw none, and for screen readers. */
export function cardText(card: RunCard): string {
  return `**${card.label}**: ${STATE_WORDS[card.state]}${card.note ? ` (${card.note})` : ''}`;
}

/** Active runs below the session, one level down. */
export async function countActiveChildren(read: StoreReads, session: Session): Promise<number> {
  let count = 0;
  for (const child of await read.sessions.children(session.key)) {
    if (child.archivedAt === undefined && (await read.runs.active(child.key)).length > 0) count++;
  }
  return count;
}
