/**
 * The stored side of a run's steps. Each function is one transaction that checks the fence, so that a step is either
 * recorded whole, by its owner, or not at all.
 */

import type { AfterCommit, Commit } from '../commit.ts';
import { failureText } from '../core/failure-text.ts';
import { toolCallKey } from '../core/ids.ts';
import { addUsage, type Usage } from '../core/run.ts';
import { readReply } from '../core/silence.ts';
import type { Entry, ToolCall } from '../core/transcript.ts';
import type { Clock } from '../ports/clock.ts';
import type { Run, Session, StoreTx, ToolCallRow } from '../ports/store/index.ts';
import { wait } from './call-tools.ts';
import { requireOwned } from './owned.ts';
import { takeBackSigns } from './queued-sign.ts';
import { activeChildren, type Settlement } from './settle.ts';

export interface Prepared {
  readonly run: Run;
  readonly session: Session;
  /** Inputs that were taken in just now, as entries. */
  readonly taken: readonly Entry[];
  /** Calls of the last recorded step that have no result yet. */
  readonly unfinished: readonly ToolCallRow[];
}

/** Takes in what waits for the run (not in the middle of tool calls, whose results must come first). */
export async function prepareStep(tx: StoreTx, after: AfterCommit, run: Run, now: number): Promise<Prepared> {
  const session = (await tx.sessions.get(run.sessionKey))!;
  const unfinished = run.step > 0 ? await tx.toolCalls.unfinished(run.id) : [];
  if (unfinished.length > 0) return { run, session, taken: [], unfinished };
  const inputs = [...(await tx.inputs.unassigned(run.sessionKey)), ...(await tx.inputs.pending(run.id))].sort(
    (a, b) => a.seq - b.seq,
  );
  if (inputs.length === 0) return { run, session, taken: [], unfinished };
  const taken = await tx.entries.append(
    run.sessionKey,
    inputs.map((input) => ({
      content: { role: 'user', text: input.text, ...(input.images && { images: input.images }) },
      provenance: input.provenance,
      runId: run.id,
    })),
    now,
  );
  await tx.inputs.consume(
    inputs.map((input) => input.id),
    now,
  );
  takeBackSigns(after, run.origin.delivery, inputs);
  return { run, session, taken, unfinished };
}

export interface AssistantMessage {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: Usage;
  /** The model had more to say than it may. */
  readonly isCutByLength: boolean;
}

const CUT_BY_LENGTH = '(The answer ends here: it reached the length limit of the model.)';

export type StepEnd =
  | {
      readonly kind: 'tools';
      readonly run: Run;
      readonly entries: readonly Entry[];
      readonly calls: readonly ToolCallRow[];
    }
  /** Something joined while the model was answering: another step takes it in. */
  | { readonly kind: 'again'; readonly run: Run; readonly entries: readonly Entry[] }
  /** Ended, or waiting for children. */
  | { readonly kind: 'left' };

export function createSteps(deps: { commit: Commit; settlement: Settlement; clock: Clock }) {
  const { commit, settlement, clock } = deps;

  async function append(tx: StoreTx, run: Run, message: AssistantMessage): Promise<readonly Entry[]> {
    const now = clock.now();
    await tx.sessions.update(
      run.sessionKey,
      { addUsage: message.usage, contextTokens: message.usage.inputTokens },
      now,
    );
    return tx.entries.append(
      run.sessionKey,
      [
        {
          content: { role: 'assistant', text: message.text, toolCalls: message.toolCalls },
          provenance: { kind: 'model' },
          runId: run.id,
          usage: message.usage,
        },
      ],
      now,
    );
  }

  /** The step is recorded: the next crash resumes behind it, with a fresh count of attempts. */
  async function recordStep(tx: StoreTx, run: Run, usage: Usage, partialReply: string): Promise<Run> {
    const patch = { step: run.step + 1, attempt: 0, usage, partialReply };
    await tx.runs.update(run.id, { from: ['running'], fence: run.fence }, patch);
    return { ...run, ...patch };
  }

  async function recordToolStep(tx: StoreTx, run: Run, message: AssistantMessage): Promise<StepEnd> {
    const entries = await append(tx, run, message);
    const calls = message.toolCalls.map(
      (call, index): ToolCallRow => ({
        key: toolCallKey(run.id, run.step, index),
        runId: run.id,
        sessionKey: run.sessionKey,
        step: run.step,
        index,
        callId: call.id,
        name: call.name,
        arguments: call.arguments,
        status: 'pending',
      }),
    );
    await tx.toolCalls.insert(calls);
    const usage = addUsage(run.usage, message.usage);
    return { kind: 'tools', run: await recordStep(tx, run, usage, run.partialReply), entries, calls };
  }

  async function recordFinalStep(
    tx: StoreTx,
    after: AfterCommit,
    run: Run,
    message: AssistantMessage,
  ): Promise<StepEnd> {
    const now = clock.now();
    const entries = await append(tx, run, message);
    const usage = addUsage(run.usage, message.usage);
    const pending = await tx.inputs.pending(run.id);
    if (pending.length > 0) {
      const reply = readReply(message.text);
      const partial = [run.partialReply, reply.kind === 'text' ? reply.text : '']
        .filter(Boolean)
        .join('\n\n');
      return { kind: 'again', run: await recordStep(tx, run, usage, partial), entries };
    }
    const session = (await tx.sessions.get(run.sessionKey))!;
    const children = session.role === 'main' ? [] : await activeChildren(tx, session);
    if (children.length > 0) {
      const waiting = await recordStep(tx, run, usage, run.partialReply);
      const runs = children.map((child) => child.id);
      await wait(tx, waiting, { kind: 'children', runs, until: 'all' }, now);
      after.publish({ type: 'settled', runId: run.id, sessionKey: run.sessionKey });
      return { kind: 'left' };
    }
    await settlement.end(
      tx,
      after,
      { ...run, step: run.step + 1 },
      { from: ['running'], fence: run.fence },
      {
        status: 'succeeded',
        outcome: { text: message.isCutByLength ? `${message.text}\n\n${CUT_BY_LENGTH}` : message.text },
        usage,
      },
      now,
    );
    return { kind: 'left' };
  }

  /** Stopped while the model was finishing: whoever stopped it was told so, and nothing of it may be said any more. */
  async function endCancelled(tx: StoreTx, after: AfterCommit, run: Run): Promise<StepEnd> {
    const error = { code: 'cancelled', message: failureText('cancelled') };
    await settlement.end(
      tx,
      after,
      run,
      { from: ['running'], fence: run.fence },
      { status: 'cancelled', outcome: { text: '', error }, usage: run.usage },
      clock.now(),
    );
    return { kind: 'left' };
  }

  return {
    /** Stores the assistant message before anything is done about it. Rejects with `run-lost`. */
    record: (owned: Run, message: AssistantMessage): Promise<StepEnd> =>
      commit(async (tx, after) => {
        const run = await requireOwned(tx, owned);
        if (run.cancelRequestedAt !== undefined) return endCancelled(tx, after, run);
        return message.toolCalls.length > 0
          ? recordToolStep(tx, run, message)
          : recordFinalStep(tx, after, run, message);
      }),
  };
}
