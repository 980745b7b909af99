/** Somebody has said what is to become of the messages that were missed in a place. In that command's own transaction. */
import type { AfterCommit } from '../commit.ts';
import type { Address } from '../core/address.ts';
import type { HeldMessage } from '../core/held-message.ts';
import { operationId } from '../core/ids.ts';
import type { CommandReply } from '../ports/channel.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoreTx } from '../ports/store/index.ts';
import type { Admission } from './admit.ts';
import { type MissedChoice, missedNoteEnd, missedNoteId, missedOutcome } from './missed-note.ts';

/** `none-waits`: nothing was missed there, or somebody has decided about it before. */
export type MissedAnswer =
  | { readonly kind: 'none-waits' }
  | { readonly kind: 'settled'; readonly text: string; readonly hasNote: boolean };

export type AnswerMissed = (
  tx: StoreTx,
  after: AfterCommit,
  address: Address,
  choice: MissedChoice,
) => Promise<MissedAnswer>;

export function createAnswerMissed(deps: { admit: Admission['admit']; clock: Clock }): AnswerMissed {
  const { admit, clock } = deps;

  /** Under its own event id: it is answered once, however often it is offered. Access is asked again. */
  async function answer(tx: StoreTx, after: AfterCommit, message: HeldMessage): Promise<void> {
    const { reply } = await admit(tx, after, { ...message, reply: () => Promise.resolve() });
    if (reply && !reply.isPrivate) await tell(tx, message, reply);
  }

  /** There is no interaction left to answer. */
  async function tell(tx: StoreTx, { address, eventId }: HeldMessage, reply: CommandReply): Promise<void> {
    const id = operationId(`missed:${address.channel}:${address.account}:${eventId}:reply`);
    const call = { kind: 'send', text: reply.text, replyTo: eventId } as const;
    await tx.operations.insert([{ id, address, call, purpose: { kind: 'notice' } }], clock.now());
  }

  async function leave(tx: StoreTx, { address, eventId, sender }: HeldMessage): Promise<void> {
    const { channel, account } = address;
    const now = clock.now();
    const result = { receipt: { status: 'dropped', reason: 'missed' } };
    if (!(await tx.admissions.record({ channel, account, eventId, result }, now))) return;
    await tx.admissions.drop({ address, eventId, senderId: sender.id, reason: 'missed', at: now });
  }

  return async (tx, after, address, choice) => {
    const waiting = await tx.cursors.missed(address);
    const newest = waiting.at(-1);
    if (!newest) return { kind: 'none-waits' };
    await tx.cursors.removeMissed(address, newest.seq);
    for (const missed of waiting) {
      const isChosen = choice === 'all' || (choice === 'newest' && missed === newest);
      if (isChosen) await answer(tx, after, missed.message);
      else await leave(tx, missed.message);
    }
    const text = missedOutcome(waiting.length, choice);
    const note = await tx.operations.get(missedNoteId(address, newest.message.eventId));
    if (note) await tx.operations.insert([missedNoteEnd(note, text)], clock.now());
    after.publish({ type: 'operations', channel: address.channel, account: address.account });
    return { kind: 'settled', text, hasNote: note !== undefined };
  };
}
