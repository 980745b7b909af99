/** The run card of a thread-bound subagent, from its rows. */
import type { Address } from '../core/address.ts';
import type { CardAction, RunCard } from '../core/card.ts';
import { failureText } from '../core/failure-text.ts';
import { type OperationId, operationId, type RunId } from '../core/ids.ts';
import type { Actor } from '../core/message.ts';
import { isActive, NO_USAGE } from '../core/run.ts';
import { labelOf } from '../core/session-label.ts';
import { shorten } from '../core/shorten.ts';
import type { Run, Session, StoreReads } from '../ports/store/index.ts';

const MAX_NOTE_LENGTH = 120;

export const cardOperation = (run: RunId): OperationId => operationId(`card:${run}`);

interface CardFacts {
  readonly run: Pick<Run, 'id' | 'startedAt' | 'endedAt' | 'usage'>;
  readonly session: Session;
  readonly state: RunCard['state'];
  readonly thread?: string;
  readonly isBound: boolean;
  readonly tool?: string;
  readonly activeChildren: number;
  readonly note?: string;
  /** Who may press its buttons, owners apart; absent: anybody. */
  readonly presser?: string;
}

function runCard(facts: CardFacts): RunCard {
  const { run, session, state, thread } = facts;
  const isLive = state === 'opening' || isActive(state);
  const actions: CardAction[] = [];
  const by = facts.presser === undefined ? {} : { presser: facts.presser };
  if (isLive) actions.push({ label: 'Stop', command: `/subagents kill ${run.id}`, ...by });
  if (thread !== undefined && facts.isBound)
    actions.push({ label: 'Unfocus', command: '/unfocus', thread, ...by });
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

/** The card of a run that has no place yet (`opening`), or could not get one (`failed`). */
export function placelessCard(
  run: RunId,
  session: Session,
  state: 'opening' | 'failed',
  presser?: string,
): RunCard {
  return runCard({
    run: { id: run, usage: NO_USAGE },
    session,
    state,
    isBound: false,
    activeChildren: 0,
    ...(presser !== undefined && { presser }),
  });
}

/** Whoever led to the run has its card in hand, where they are known on the card's platform. */
export function presserOn(
  { channel }: Pick<Address, 'channel'>,
  actor: Actor | undefined,
): string | undefined {
  return actor?.channel === channel ? actor.id : undefined;
}

/** The card as the rows are now. `undefined` for a run that is gone. */
export async function currentCard(read: StoreReads, id: RunId, tool?: string): Promise<RunCard | undefined> {
  const run = await read.runs.get(id);
  const session = run && (await read.sessions.get(run.sessionKey));
  if (!session) return undefined;
  const { delivery } = run.origin;
  const address = delivery.kind === 'external' ? delivery.address : undefined;
  const thread = address?.thread;
  const presser = address && presserOn(address, run.origin.actor);
  const error = run.status === 'cancelled' ? undefined : run.outcome?.error;
  return runCard({
    run,
    session,
    state: run.status,
    isBound: (await read.bindings.ofSession(session.key)).length > 0,
    activeChildren: await countActiveChildren(read, session),
    ...(thread !== undefined && { thread }),
    ...(tool !== undefined && { tool }),
    ...(presser !== undefined && { presser }),
    ...(error && { note: shorten(failureText(error.code), MAX_NOTE_LENGTH) }),
  });
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
async function countActiveChildren(read: StoreReads, session: Session): Promise<number> {
  let count = 0;
  for (const child of await read.sessions.children(session.key)) {
    if (child.archivedAt === undefined && (await read.runs.active(child.key)).length > 0) count++;
  }
  return count;
}
