/**
 * The place of a spawned subagent exists, or cannot be had: the second half of a spawn with a thread. Success binds the
 * thread and lets the child run; failure undoes the spawn and tells the requester and the people at the origin.
 */

import type { AfterCommit } from '../commit.ts';
import { threadAddress } from '../core/address.ts';
import type { RunCard } from '../core/card.ts';
import { failureText, withHint } from '../core/failure-text.ts';
import { inputId, operationId, type RunId } from '../core/ids.ts';
import { completionBlock, completionInstruction } from '../core/prompt-blocks.ts';
import { labelOf } from '../core/session-label.ts';
import { type ChannelDirectory, threadLink } from '../delivery/directory.ts';
import type { Clock } from '../ports/clock.ts';
import type { Settings } from '../ports/settings.ts';
import type { NewOperation, Operation, Run, Session, StoreTx } from '../ports/store/index.ts';
import { actorOf } from '../runs/call-tools.ts';
import { bindThread } from '../threads/bind.ts';
import { cardOperation, cardText, currentCard, placelessCard } from './card.ts';
import { waitingFor } from './requester.ts';
import { resumeWhenDone } from './resume.ts';

export interface ThreadOpenedDeps {
  readonly directory: ChannelDirectory;
  readonly settings: Settings;
  readonly clock: Clock;
}

export function createThreadOpened(deps: ThreadOpenedDeps) {
  const { directory, settings, clock } = deps;

  async function opened(
    tx: StoreTx,
    after: AfterCommit,
    operation: Operation,
    runId: RunId,
    thread: string,
  ): Promise<void> {
    const now = clock.now();
    const run = await tx.runs.get(runId);
    const session = run && (await tx.sessions.get(run.sessionKey));
    // Stopped while the thread was being opened: the card has said so, and the thread stays empty.
    if (!session || run.status !== 'waiting') return;
    const address = threadAddress(operation.address, thread);
    const limits = settings.bindings(address.channel, address.account);
    await bindThread(
      tx,
      after,
      settings,
      {
        key: run.id,
        address,
        sessionKey: session.key,
        label: labelOf(session),
        agentId: session.agentId,
        boundBy: actorOf(run),
        idleMs: limits.idleMs,
        maxAgeMs: limits.maxAgeMs,
        readsUnmentioned: directory.capabilities(address)?.readsUnmentioned === true,
      },
      now,
    );
    await tx.sessions.update(session.key, { route: address }, now);
    await tx.runs.update(
      run.id,
      { from: ['waiting'] },
      {
        status: 'queued',
        waitingOn: null,
        origin: { ...run.origin, delivery: { kind: 'external', address } },
      },
    );
    await tx.operations.insert(
      [...(await startedCard(tx, run, operation)), ...startLine(run, session, thread)],
      now,
    );
    after.publish({ type: 'operations', channel: address.channel, account: address.account });
    after.wake('subagent', session.key);
  }

  async function startedCard(tx: StoreTx, run: Run, operation: Operation): Promise<readonly NewOperation[]> {
    const card = await currentCard(tx, run.id);
    return card ? [cardEdit(run, operation, 'started', card)] : [];
  }

  function cardEdit(run: Run, operation: Operation, when: string, card: RunCard): NewOperation {
    return {
      id: operationId(`card:${run.id}:${when}`),
      address: operation.address,
      call: { kind: 'edit', target: cardOperation(run.id), text: cardText(card), card },
      purpose: { kind: 'card', runId: run.id },
    };
  }

  /** Spawned from inside a thread: that thread is told where the new one is. */
  function startLine(run: Run, session: Session, thread: string): readonly NewOperation[] {
    const origin = run.origin.announceTo;
    if (origin?.kind !== 'external' || origin.address.thread === undefined) return [];
    const text = `**${labelOf(session)}** is at work in ${threadLink(directory, origin.address, thread)}.`;
    return [
      {
        id: operationId(`line:${run.id}:start`),
        address: origin.address,
        call: { kind: 'send', text },
        purpose: { kind: 'notice' },
      },
    ];
  }

  async function failed(tx: StoreTx, after: AfterCommit, operation: Operation, runId: RunId): Promise<void> {
    const now = clock.now();
    const run = await tx.runs.get(runId);
    const session = run && (await tx.sessions.get(run.sessionKey));
    if (!session || run.status !== 'waiting') return;
    const label = labelOf(session);
    const requester = session.spawnedBy && (await tx.sessions.get(session.spawnedBy));
    const origin = run.origin.announceTo;
    const told: NewOperation[] = [cardEdit(run, operation, 'end', placelessCard(run.id, session, 'failed'))];
    await tx.sessions.remove(session.key);
    if (origin?.kind === 'external') {
      const text = withHint(`**${label}** could not start: ${failureText('thread-failed')}`, operation.error);
      told.push({
        id: operationId(`line:${run.id}:failed`),
        address: origin.address,
        call: { kind: 'send', text },
        purpose: { kind: 'notice' },
      });
    }
    await tx.operations.insert(told, now);
    after.publish({
      type: 'operations',
      channel: operation.address.channel,
      account: operation.address.account,
    });
    if (!requester) return;
    const block = completionBlock({
      source: 'subagent',
      sessionKey: session.key,
      label,
      status: 'error',
      result: withHint(
        `${failureText('thread-failed')} (${operation.error?.code ?? 'unknown cause'})`,
        operation.error,
      ),
      stats: 'it never ran',
    });
    // The people at the origin have been told; the requester's model only needs to know. One that waits must not for ever.
    const waiting = await waitingFor(tx, requester, run.id);
    await tx.inputs.insert(
      {
        id: inputId(`announce:${run.id}`),
        sessionKey: requester.key,
        ...(waiting && { runId: waiting.id }),
        text: `${block}\n${completionInstruction(true)}`,
        provenance: { kind: 'runtime', sourceSession: session.key },
      },
      now,
    );
    if (waiting) await resumeWhenDone(tx, after, requester, waiting, run.id);
  }

  return { opened, failed };
}
