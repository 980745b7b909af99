/**
 * What else the end of a subagent's run leaves behind: the state log, the last words of its card, a line in the thread that
 * it was spawned from, and the time at which its session is archived.
 */

import type { AfterCommit } from '../commit.ts';
import { operationId } from '../core/ids.ts';
import type { EndedStatus } from '../core/run.ts';
import { labelOf } from '../core/session-label.ts';
import { type ChannelDirectory, threadLink } from '../delivery/directory.ts';
import type { Settings } from '../ports/settings.ts';
import type { NewOperation, StoreTx } from '../ports/store/index.ts';
import type { EndedRun } from '../runs/settle.ts';
import { cardOperation, cardText, currentCard } from './card.ts';

export function createFinish(deps: { directory: ChannelDirectory; settings: Settings }) {
  const { directory, settings } = deps;

  async function closingCalls(tx: StoreTx, ended: EndedRun): Promise<readonly NewOperation[]> {
    const { run, session } = ended;
    const card = await tx.operations.get(cardOperation(run.id));
    const view = card && (await currentCard(tx, run.id));
    if (!view) return [];
    const { delivery, announceTo } = run.origin;
    const thread = delivery.kind === 'external' ? delivery.address.thread : undefined;
    const calls: NewOperation[] = [
      {
        id: operationId(`card:${run.id}:end`),
        address: card.address,
        call: { kind: 'edit', target: card.id, text: cardText(view), card: view },
        purpose: { kind: 'card', runId: run.id },
      },
    ];
    if (delivery.kind === 'external' && ended.status === 'cancelled') {
      calls.push({
        id: operationId(`stopped:${run.id}`),
        address: delivery.address,
        call: { kind: 'send', text: `**${labelOf(session)}** was stopped.` },
        purpose: { kind: 'notice' },
      });
    }
    if (announceTo?.kind === 'external' && announceTo.address.thread !== undefined && thread !== undefined) {
      const link = threadLink(directory, announceTo.address, thread);
      calls.push({
        id: operationId(`line:${run.id}:end`),
        address: announceTo.address,
        call: { kind: 'send', text: `${cardText(view)}, in ${link}.` },
        purpose: { kind: 'notice' },
      });
    }
    return calls;
  }

  /** A session is not archived while it lives in a thread; the end of that binding starts its time. */
  async function archiveTime(tx: StoreTx, { session, endedAt }: EndedRun): Promise<number | null> {
    if (session.cleanup === 'delete') return endedAt;
    if ((await tx.bindings.ofSession(session.key)).length > 0) return null;
    const { archiveAfterMs } = settings.subagents(session.agentId);
    return archiveAfterMs > 0 ? endedAt + archiveAfterMs : null;
  }

  return async function onRunEnd(tx: StoreTx, after: AfterCommit, ended: EndedRun): Promise<void> {
    const { run, session, status, endedAt } = ended;
    if (session.depth === 0) return;
    await tx.stateLog.append(
      {
        sessionKey: session.key,
        kind: status === 'succeeded' ? 'run_completed' : 'run_failed',
        actorType: 'system',
        actorId: 'skein',
        runId: run.id,
        summary: status === 'succeeded' ? 'a run completed' : `a run ended: ${status.replace('_', ' ')}`,
        payload: { outcome: stateOutcome(status) },
      },
      endedAt,
    );
    const calls = await closingCalls(tx, ended);
    if (calls.length > 0) {
      await tx.operations.insert(calls, endedAt);
      const { channel, account } = calls[0]!.address;
      after.publish({ type: 'operations', channel, account });
    }
    await tx.sessions.update(session.key, { archiveAt: await archiveTime(tx, ended) }, endedAt);
  };
}

/** Outcome words of the state log. */
function stateOutcome(status: EndedStatus): 'success' | 'error' | 'timeout' | 'cancelled' {
  if (status === 'succeeded') return 'success';
  if (status === 'timed_out') return 'timeout';
  return status === 'cancelled' ? 'cancelled' : 'error';
}
