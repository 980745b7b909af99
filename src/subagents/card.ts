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
import { childrenOf, countActive } from './children.ts';

const MAX_NOTE_LENGTH = 120;

export const cardOperation = (run: RunId): OperationId => operationId(`card:${run}`);

interface CardFacts {
  readonly run: Pick<Run, 'id' | 'startedAt' | 'endedAt' | 'usage'>;
  readonly session: Session;
  readonly state: RunCard['state'];
  readonly thread?: string;
  /** Whether the run's thread is the session's. */
  readonly isBound: boolean;
  readonly tool?: string;
  readonly activeChildren: number;
  readonly note?: string;
  /** Who may press its buttons, owners apart; absent: anybody. */
  readonly presser?: string;
  /** The thread that it was asked for in, whose session knows it; absent: where the card is. */
  readonly askedIn?: string;
  /** There is more to be told of it. */
  readonly hasDetails: boolean;
}

function actionsOf({ run, state, thread, isBound, presser, askedIn, hasDetails }: CardFacts): CardAction[] {
  const actions: CardAction[] = [];
  const by = presser === undefined ? {} : { presser };
  const at = askedIn === undefined ? {} : { thread: askedIn };
  if (state === 'opening' || isActive(state))
    actions.push({ label: 'Stop', command: `/subagents kill ${run.id}`, ...at, ...by });
  if (thread !== undefined && isBound) actions.push({ label: 'Unfocus', command: '/unfocus', thread, ...by });
  // Anybody who is heard may look.
  if (hasDetails) actions.push({ label: 'Details', command: `/subagents info ${run.id}`, ...at });
  return actions;
}

function runCard(facts: CardFacts): RunCard {
  const { run, session, state, thread } = facts;
  return {
    runId: run.id,
    agent: session.agentId,
    label: labelOf(session),
    state,
    usage: run.usage,
    activeChildren: facts.activeChildren,
    actions: actionsOf(facts),
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
  buttons: Pick<CardFacts, 'presser' | 'askedIn'> = {},
): RunCard {
  return runCard({
    run: { id: run, usage: NO_USAGE },
    session,
    state,
    isBound: false,
    activeChildren: 0,
    hasDetails: false,
    ...buttons,
  });
}

/** Whoever led to the run has its card in hand, where they are known on the card's platform. */
export function presserOn(
  { channel }: Pick<Address, 'channel'>,
  actor: Actor | undefined,
): string | undefined {
  return actor?.channel === channel ? actor.id : undefined;
}

/** Whether the session is focused in that thread, wherever else it may be. */
async function isIn(read: StoreReads, session: Session, thread: Address): Promise<boolean> {
  return (await read.bindings.live(thread))?.sessionKey === session.key;
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
  const asked = run.origin.announceTo;
  const askedIn = asked?.kind === 'external' ? asked.address.thread : undefined;
  const error = run.status === 'cancelled' ? undefined : run.outcome?.error;
  return runCard({
    run,
    session,
    state: run.status,
    isBound: address !== undefined && (await isIn(read, session, address)),
    activeChildren: await countActive(read, await childrenOf(read, session)),
    ...(thread !== undefined && { thread }),
    ...(tool !== undefined && { tool }),
    ...(presser !== undefined && { presser }),
    ...(askedIn !== undefined && { askedIn }),
    hasDetails: true,
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
