/**
 * What people are told of a run that was given up because its process kept ending: what it was, after how long, which
 * calls may or may not have had an effect, and what can be done about it.
 */
import type { Address } from '../core/address.ts';
import type { RunCard } from '../core/card.ts';
import { formatDuration } from '../core/duration.ts';
import { type OperationId, operationId, type RunId } from '../core/ids.ts';
import type { Usage } from '../core/run.ts';
import { labelOf } from '../core/session-label.ts';
import type { NewOperation, Run, Session, StoreTx } from '../ports/store/index.ts';

export const interruptedOperation = (run: RunId, what = 'note'): OperationId =>
  operationId(`interrupted:${run}:${what}`);

interface Interrupted {
  readonly run: Run;
  readonly session: Session;
  /** Where the reply was expected. */
  readonly address: Address;
  readonly usage: Usage;
  readonly now: number;
}

export async function interruptedNote(
  tx: StoreTx,
  { run, session, address, usage, now }: Interrupted,
): Promise<NewOperation> {
  const label = labelOf(session);
  const unknown = (await tx.toolCalls.unfinished(run.id)).filter((call) => call.status === 'started');
  const calls = unknown.map((call) => `\`${call.name}\``).join(', ');
  const sentences = [
    `I was interrupted three times while I worked on this, and have given up (**${label}**, after ${formatDuration(now - (run.startedAt ?? now))}).`,
    calls === '' ? '' : `It is not known whether this had its effect: ${calls}.`,
  ];
  const text = sentences.filter(Boolean).join(' ');
  const card: RunCard = {
    runId: run.id,
    agent: session.agentId,
    label,
    state: 'interrupted',
    usage,
    activeChildren: 0,
    ...(run.startedAt !== undefined && { startedAt: run.startedAt }),
    endedAt: now,
    note: text,
    isQuestion: true,
    actions: [
      { label: 'Resume', command: `/resume ${run.id}` },
      { label: 'Drop', command: `/drop ${run.id}` },
    ],
  };
  return {
    id: interruptedOperation(run.id),
    address,
    call: { kind: 'send', text, card },
    purpose: { kind: 'notice' },
  };
}
