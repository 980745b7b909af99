/** What people are asked about messages that came in while nobody listened, and how that note ends. */
import type { Address } from '../core/address.ts';
import type { CardAction, RunCard } from '../core/card.ts';
import { type OperationId, operationId } from '../core/ids.ts';
import { NO_USAGE } from '../core/run.ts';
import type { MissedMessage } from '../ports/store/cursors.ts';
import type { NewOperation } from '../ports/store/index.ts';

export const MISSED_CHOICES = ['all', 'newest', 'none'] as const;
export type MissedChoice = (typeof MISSED_CHOICES)[number];

/** One note for each newest message that waits: asking again for the same ones is no second note. */
export function missedNoteId({ channel, account }: Address, newestEventId: string): OperationId {
  return operationId(`missed:${channel}:${account}:${newestEventId}`);
}

function question(count: number): string {
  return count === 1
    ? '1 message came in while I was away. Shall I answer it?'
    : `${count} messages came in while I was away: answer all, only the newest, or none?`;
}

function actions(count: number): readonly CardAction[] {
  if (count === 1) {
    return [
      { label: 'Answer it', command: '/missed all' },
      { label: 'Leave it', command: '/missed none' },
    ];
  }
  return [
    { label: 'All', command: '/missed all' },
    { label: 'Only the newest', command: '/missed newest' },
    { label: 'None', command: '/missed none' },
  ];
}

/** `waiting`: all that wait in that place, at least one. `agentId`: who will answer. */
export function missedNote(
  address: Address,
  waiting: readonly MissedMessage[],
  agentId: string,
  hasCards: boolean,
): NewOperation {
  const { eventId } = waiting.at(-1)!.message;
  const id = missedNoteId(address, eventId);
  const text = question(waiting.length);
  const choices = actions(waiting.length);
  const card: RunCard = {
    runId: id,
    agent: agentId,
    label: 'Missed messages',
    state: 'waiting',
    usage: NO_USAGE,
    activeChildren: 0,
    note: text,
    isQuestion: true,
    actions: choices,
  };
  const typed = ` (${choices.map(({ command }) => `\`${command}\``).join(', ')})`;
  return {
    id,
    address,
    call: { kind: 'send', text: hasCards ? text : `${text}${typed}`, card },
    purpose: { kind: 'notice' },
  };
}

/** The note without its buttons. */
export function missedNoteEnd(note: { id: OperationId; address: Address }, text: string): NewOperation {
  return {
    id: operationId(`${note.id}:settled`),
    address: note.address,
    call: { kind: 'edit', target: note.id, text },
    purpose: { kind: 'notice' },
  };
}

/** What the note says once somebody has chosen. */
export function missedOutcome(count: number, choice: MissedChoice): string {
  const came =
    count === 1 ? '1 message came in while I was away' : `${count} messages came in while I was away`;
  if (choice === 'none') return `${came}. I leave ${count === 1 ? 'it' : 'them'} unanswered.`;
  if (choice === 'newest' && count > 1) return `${came}. I answer only the newest.`;
  return `${came}. I answer ${count === 1 ? 'it' : 'them all'}.`;
}
