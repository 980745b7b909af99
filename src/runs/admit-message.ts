/**
 * A person's message becomes an input: room is made if too many wait, then it is put before the session by its queue mode.
 */
import type { AfterCommit } from '../commit.ts';
import { type Address, placeKey } from '../core/address.ts';
import { isSameDelivery, type QueueMode } from '../core/assignment.ts';
import { type InputId, inputId, type RunId } from '../core/ids.ts';
import type { Actor } from '../core/message.ts';
import { makeRoom, type WaitingMessage } from '../core/overflow.ts';
import type { CommandReply, InboundMessage, InboundReceipt } from '../ports/channel.ts';
import type { Ids } from '../ports/ids.ts';
import type { Settings } from '../ports/settings.ts';
import type { Input, Session, StoreTx } from '../ports/store/index.ts';
import type { ReplyThread } from '../threads/reply-thread.ts';
import { enqueueInput } from './enqueue.ts';
import { takeBackSigns } from './queued-sign.ts';
import { takeIn } from './take-in.ts';

export interface MessageAdmission {
  readonly receipt: InboundReceipt;
  /** What the sender is told at once. */
  readonly reply?: CommandReply;
}

export interface PersonMessage {
  readonly session: Session;
  readonly message: InboundMessage;
  readonly actor: Actor;
  /** Where it is answered, if not where it was written: in a thread that is opened for it. */
  readonly thread?: ReplyThread;
  /** Other than that of the message, for one given through a command. */
  readonly text: string;
  /** Other than the session's, for one given through a command. */
  readonly mode?: QueueMode;
}

export async function admitMessage(
  tx: StoreTx,
  after: AfterCommit,
  deps: { settings: Settings; ids: Ids },
  { session, message, actor, thread, text, mode }: PersonMessage,
  now: number,
): Promise<MessageAdmission> {
  const { address, eventId } = message;
  const queue = deps.settings.queue(address.channel);
  const place = thread?.place ?? address;
  const waiting = await waitingMessages(tx, session, place);
  const overflow = makeRoom(waiting.map(asWaiting), queue.cap, queue.drop);
  const told = 'reply' in overflow ? overflow.reply : undefined;
  if (overflow.kind === 'refuse-new') {
    await tx.admissions.drop({ address, eventId, senderId: actor.id, reason: 'queue-full', at: now });
    return { receipt: { status: 'dropped', reason: 'queue-full' }, ...asReply([told]) };
  }
  if (overflow.kind === 'remove') await removeWaiting(tx, after, waiting, [overflow.id]);
  if (overflow.kind === 'condense') {
    const eventId = waiting.find(({ id }) => id === overflow.into)?.provenance.eventId;
    const provenance = { kind: 'runtime', ...(eventId !== undefined && { eventId }) } as const;
    await tx.inputs.rewrite(overflow.into as InputId, overflow.text, provenance);
    await removeWaiting(tx, after, waiting, overflow.remove);
  }
  const taken = await takeIn(tx, session, message, text, now);
  const isBusy = (await tx.runs.active(session.key)).some((run) => run.status === 'running');
  const runId = await enqueueInput(
    tx,
    after,
    deps.ids,
    {
      session,
      inputId: inputId(`message:${address.channel}:${address.account}:${eventId}`),
      text: taken.text,
      ...(taken.images && { images: taken.images }),
      provenance: {
        kind: 'user',
        sender: { id: actor.id, name: actor.name, role: actor.role },
        eventId,
        ...(message.source === 'message' && { place: placeKey(address) }),
      },
      trigger: 'message',
      origin: { delivery: { kind: 'external', address: place }, actor },
      ...(thread && { waitsFor: thread.operation }),
      mode: mode ?? session.queueMode ?? queue.mode,
      overtakes: mode === 'steer',
      debounceMs: queue.debounceMs,
    },
    now,
  );
  if (isBusy) after.publish({ type: 'queued', address, eventId, isQueued: true });
  const reply = asReply([told, taken.refusal]);
  return { receipt: { status: 'admitted', sessionKey: session.key, runId }, ...reply };
}

function asReply(told: readonly (string | undefined)[]): { readonly reply?: CommandReply } {
  const text = told.filter((part) => part !== undefined).join('\n\n');
  return text === '' ? {} : { reply: { text } };
}

/** Messages of people that no run has taken in yet, oldest first. */
async function waitingMessages(tx: StoreTx, session: Session, address: Address): Promise<readonly Input[]> {
  const found: Input[] = [];
  for (const run of await tx.runs.active(session.key)) {
    if (!isSameDelivery(run.origin.delivery, { kind: 'external', address })) continue;
    found.push(...(await pendingOf(tx, run.id)));
  }
  return found.sort((a, b) => a.seq - b.seq);
}

const asWaiting = ({ id, text, provenance }: Input): WaitingMessage => ({
  id,
  text,
  sender: provenance.sender?.name ?? 'somebody',
  isCondensed: provenance.kind === 'runtime',
});

/** A run that has nothing left to answer goes with its last message. */
async function removeWaiting(
  tx: StoreTx,
  after: AfterCommit,
  waiting: readonly Input[],
  ids: readonly string[],
): Promise<void> {
  const removed = waiting.filter(({ id }) => ids.includes(id));
  await tx.inputs.remove(removed.map(({ id }) => id));
  for (const input of removed) {
    const run = input.runId && (await tx.runs.get(input.runId));
    if (!run) continue;
    takeBackSigns(after, run.origin.delivery, [input]);
    if (run.status === 'queued' && (await tx.inputs.ofRun(run.id)).length === 0) await tx.runs.remove(run.id);
  }
}

async function pendingOf(tx: StoreTx, run: RunId): Promise<readonly Input[]> {
  const pending = await tx.inputs.pending(run);
  return pending.filter(({ id, provenance }) => provenance.kind === 'user' || id.startsWith('message:'));
}
