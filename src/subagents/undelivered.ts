/**
 * A reply could not reach its thread for good: it is never posted elsewhere instead. The place where the subagent was asked
 * for gets one line that names the thread, and the session learns that nobody has read its words.
 */
import type { AfterCommit } from '../commit.ts';
import { isSamePlace } from '../core/address.ts';
import { withHint } from '../core/failure-text.ts';
import { inputId, operationId, type RunId } from '../core/ids.ts';
import { noticeText } from '../core/prompt-blocks.ts';
import { labelOf } from '../core/session-label.ts';
import { type ChannelDirectory, threadLink } from '../delivery/directory.ts';
import type { Clock } from '../ports/clock.ts';
import type { Operation, StoreTx } from '../ports/store/index.ts';
import { replyPart } from '../runs/reply-operations.ts';
import { ownAnnounceTo } from './requester.ts';

const REASONS: Record<string, string> = {
  'channel-permission-denied': 'I may not write there',
  'channel-not-found': 'the thread is gone',
};

export function createUndelivered(deps: { directory: ChannelDirectory; clock: Clock }) {
  const { directory, clock } = deps;

  return async function undelivered(
    tx: StoreTx,
    after: AfterCommit,
    operation: Operation,
    runId: RunId,
  ): Promise<void> {
    const run = await tx.runs.get(runId);
    const session = run && (await tx.sessions.get(run.sessionKey));
    if (!session) return;
    const now = clock.now();
    const part = await partOf(tx, operation, run.id);
    const reason = REASONS[operation.error?.code ?? ''] ?? 'the platform refused it';
    await tx.inputs.insert(
      {
        id: inputId(`undelivered:${run.id}`),
        sessionKey: session.key,
        text: noticeText(
          `${part ? `Part ${part} of your` : 'Your'} last reply could not be delivered: ${reason}. Nobody has read it.`,
        ),
        provenance: { kind: 'runtime', sourceRun: run.id },
      },
      now,
    );
    const { address } = operation;
    const asked = run.origin.announceTo ?? (await ownAnnounceTo(tx, session));
    if (asked?.kind !== 'external' || address.thread === undefined || isSamePlace(asked.address, address))
      return;
    const where = threadLink(directory, asked.address, address.thread);
    await tx.operations.insert(
      [
        {
          id: operationId(`undelivered:${run.id}`),
          address: asked.address,
          call: {
            kind: 'send',
            text: withHint(
              `**${labelOf(session)}** has answered in ${where}, but ${part ? `part ${part}` : 'it'} could not be posted there: ${reason}. The answer is kept.`,
              operation.error,
            ),
          },
          purpose: { kind: 'notice' },
        },
      ],
      now,
    );
    after.publish({ type: 'operations', channel: asked.address.channel, account: asked.address.account });
  };
}

/** `2 of 3`, for a reply that takes several messages. */
async function partOf(tx: StoreTx, operation: Operation, run: RunId): Promise<string | undefined> {
  let count = 0;
  let number = 1;
  for (;;) {
    const part = await tx.operations.get(replyPart(run, count));
    if (!part) break;
    count += 1;
    if (part.id === operation.id) number = count;
  }
  return count > 1 ? `${number} of ${count}` : undefined;
}
