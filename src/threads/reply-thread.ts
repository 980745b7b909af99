/**
 * A mention in a channel that is answered in a thread of its own. The thread is opened from the message, so its address is
 * known beforehand: what is written there before it is opened joins the same run, which waits until then.
 *
 *   admitted → run waits ──→ thread opened → run queued, answers in the thread
 *                       └──→ refused       → run queued, answers where the message was written
 */
import { createHash } from 'node:crypto';
import type { AfterCommit } from '../commit.ts';
import { type Address, placeKey, threadAddress } from '../core/address.ts';
import { type OperationId, operationId, type RunId } from '../core/ids.ts';
import type { Actor, Inbound } from '../core/message.ts';
import { redact } from '../core/redaction.ts';
import { messageTitle } from '../core/title.ts';
import type { ChannelDirectory } from '../delivery/directory.ts';
import type { Clock } from '../ports/clock.ts';
import type { Settings } from '../ports/settings.ts';
import type { Operation, StoreTx } from '../ports/store/index.ts';
import { laneOf } from '../runs/enqueue.ts';

/** Where a message is answered, and what has to happen first. */
export interface ReplyThread {
  readonly place: Address;
  readonly operation: OperationId;
}

export function createReplyThreads(deps: { directory: ChannelDirectory; settings: Settings; clock: Clock }) {
  const { directory, settings, clock } = deps;

  /** `undefined`: it is answered where it was written. Bots open no threads, or two of them would open more and more. */
  function threadFor(message: Inbound, actor: Actor): ReplyThread | undefined {
    const { address, eventId } = message;
    if (address.thread !== undefined || address.chatType !== 'channel') return undefined;
    if (message.isMention !== true || actor.role === 'bot') return undefined;
    const capabilities = directory.capabilities(address);
    if (!capabilities?.hasThreads || !capabilities.threadsAreNamedByMessage) return undefined;
    if (!settings.autoThread(address, message.place)) return undefined;
    return {
      place: threadAddress(address, eventId),
      operation: operationId(`reply-thread:${address.channel}:${address.account}:${eventId}`),
    };
  }

  /** `runId`: the run that waits for it. */
  async function open(
    tx: StoreTx,
    after: AfterCommit,
    message: Inbound,
    { place, operation }: ReplyThread,
    runId: RunId,
  ): Promise<void> {
    const { address, eventId, text, sender } = message;
    const now = clock.now();
    const maxLength = directory.capabilities(address)!.maxTitleLength;
    await tx.operations.insert(
      [
        {
          id: operation,
          address,
          call: {
            kind: 'open-thread',
            anchor: { messageId: eventId },
            title: messageTitle(text, sender.name, maxLength, redact),
          },
          purpose: { kind: 'reply-thread', runId },
        },
      ],
      now,
    );
    // What people write there is looked for after a time away, even if nothing of it has reached us before.
    await tx.cursors.advance(place, eventId, true, now);
    after.publish({ type: 'operations', channel: address.channel, account: address.account });
  }

  async function opened(
    tx: StoreTx,
    after: AfterCommit,
    { address }: Operation,
    runId: RunId,
    thread: string,
  ): Promise<void> {
    await goOn(tx, after, runId, threadAddress(address, thread));
  }

  /** The answer is given all the same; why it is not in a thread is said once for each cause. */
  async function failed(
    tx: StoreTx,
    after: AfterCommit,
    { address, error }: Operation,
    runId: RunId,
  ): Promise<void> {
    if (error?.hint !== undefined) {
      const cause = createHash('sha256')
        .update(`${placeKey(address)}\n${error.hint}`)
        .digest('hex');
      await tx.operations.insert(
        [
          {
            id: operationId(`no-reply-thread:${cause}`),
            address,
            call: { kind: 'send', text: `I answer here, since I could not open a thread: ${error.hint}` },
            purpose: { kind: 'notice' },
          },
        ],
        clock.now(),
      );
      after.publish({ type: 'operations', channel: address.channel, account: address.account });
    }
    await goOn(tx, after, runId, address);
  }

  /** The waiting run answers at that place. One that was stopped meanwhile stays stopped. */
  async function goOn(tx: StoreTx, after: AfterCommit, runId: RunId, place: Address): Promise<void> {
    const run = await tx.runs.get(runId);
    const session = run && (await tx.sessions.get(run.sessionKey));
    if (!session) return;
    const isGoingOn = await tx.runs.update(
      runId,
      { from: ['waiting'] },
      {
        status: 'queued',
        waitingOn: null,
        origin: { ...run.origin, delivery: { kind: 'external', address: place } },
      },
    );
    if (!isGoingOn) return;
    await tx.sessions.update(session.key, { route: place }, clock.now());
    after.wake(laneOf(session), session.key);
  }

  return { threadFor, open, opened, failed };
}

export type ReplyThreads = ReturnType<typeof createReplyThreads>;
