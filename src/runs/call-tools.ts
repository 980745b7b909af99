/**
 * Carries out the tool calls of one step, in order. Every call ends as a tool result in the transcript, whatever happens
 * to it: refused, failed, cut off by the end of the turn, or of unknown outcome after a crash.
 */

import type { Commit } from '../commit.ts';
import type { Actor } from '../core/message.ts';
import type { WaitingOn } from '../core/run.ts';
import type { Entry } from '../core/transcript.ts';
import { asError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Run, Session, StoreTx, ToolCallRow } from '../ports/store/index.ts';
import { requireOwned } from './owned.ts';
import {
  type Caller,
  type OutsideTool,
  type RowsTool,
  type ToolAnswer,
  type Toolbox,
  toolError,
} from './tool.ts';

export interface ToolTurn {
  readonly run: Run;
  readonly session: Session;
  readonly calls: readonly ToolCallRow[];
  readonly signal: AbortSignal;
  onProgress(tool: string | undefined): void;
}

export interface ToolTurnEnd {
  /** What was appended to the transcript. */
  readonly entries: readonly Entry[];
  /** The run has begun to wait: it is not ours any more. */
  readonly isWaiting: boolean;
}

/** The owner acts where no person is known: what a session does by itself, it does for whoever runs the bot. */
export function actorOf(run: Pick<Run, 'origin'>): Actor {
  return run.origin.actor ?? { channel: 'internal', id: 'owner', name: 'owner', role: 'owner' };
}

export function createToolCaller(deps: { commit: Commit; toolbox: Toolbox; clock: Clock; log: Log }) {
  const { commit, toolbox, clock, log } = deps;

  async function record(tx: StoreTx, row: ToolCallRow, answer: ToolAnswer): Promise<readonly Entry[]> {
    await tx.toolCalls.setStatus(row.key, 'done');
    return tx.entries.append(
      row.sessionKey,
      [
        {
          content: {
            role: 'toolResult',
            callId: row.callId,
            toolName: row.name,
            result: answer.result,
            isError: answer.isError === true,
          },
          provenance: { kind: 'tool' },
          runId: row.runId,
        },
      ],
      clock.now(),
    );
  }

  /** The row and its tool, or why it cannot be called. */
  function prepare(
    row: ToolCallRow,
    session: Session,
  ):
    | { kind: 'ready'; tool: RowsTool | OutsideTool; args: unknown }
    | { kind: 'refused'; answer: ToolAnswer } {
    const offered = toolbox.get(row.name);
    if (!offered) return { kind: 'refused', answer: toolError(`there is no tool "${row.name}"`) };
    if (!toolbox.isAllowed(row.name, session)) {
      return {
        kind: 'refused',
        answer: toolError(`tool "${row.name}" is not allowed in this session`, 'forbidden'),
      };
    }
    const parsed = offered.tool.schema.safeParse(row.arguments);
    if (!parsed.success) {
      const problems = parsed.error.issues.map(
        (issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`,
      );
      return { kind: 'refused', answer: toolError(`invalid arguments: ${problems.join('; ')}`) };
    }
    return { kind: 'ready', tool: offered.tool, args: parsed.data };
  }

  async function callRows(turn: ToolTurn, row: ToolCallRow, tool: RowsTool, args: unknown) {
    const caller: Caller = { session: turn.session, run: turn.run, actor: actorOf(turn.run), key: row.key };
    return commit(async (tx, after) => {
      const run = await requireOwned(tx, turn.run);
      // Stopped a moment ago: whatever this call would begin, nobody would stop any more.
      if (run.cancelRequestedAt !== undefined) return { entries: [], endsTurn: false, isWaiting: false };
      const answer = await tool.call(args, { ...caller, run }, tx, after);
      const entries = [...(await record(tx, row, answer))];
      if (!answer.endsTurn) return { entries, endsTurn: false, isWaiting: false };
      for (const rest of turn.calls.slice(turn.calls.indexOf(row) + 1)) {
        entries.push(
          ...(await record(tx, rest, toolError('not carried out: the turn ended with the call before'))),
        );
      }
      if (!answer.wait) return { entries, endsTurn: true, isWaiting: false };
      await wait(tx, run, answer.wait, clock.now());
      after.publish({ type: 'settled', runId: run.id, sessionKey: run.sessionKey });
      return { entries, endsTurn: true, isWaiting: true };
    });
  }

  async function callOutside(turn: ToolTurn, row: ToolCallRow, tool: OutsideTool, args: unknown) {
    if (row.status === 'started' && tool.effect === 'outside') {
      return toolError(
        'outcome unknown: the process was interrupted while this was carried out; it was not repeated',
      );
    }
    await commit(async (tx) => {
      await requireOwned(tx, turn.run);
      await tx.toolCalls.setStatus(row.key, 'started');
    });
    const caller: Caller = { session: turn.session, run: turn.run, actor: actorOf(turn.run), key: row.key };
    try {
      return await givenTime(clock, turn.signal, (signal) => tool.call(args, caller, signal));
    } catch (thrown) {
      // Whether it had its effect is not known; a resumed run says so, an ended one has no use for a result.
      if (turn.signal.aborted) return undefined;
      const error = asError(thrown);
      log.warn({ runId: row.runId, tool: row.name, error: error.message }, 'a tool failed');
      return toolError(`the tool failed: ${error.message}`);
    }
  }

  return async function callTools(turn: ToolTurn): Promise<ToolTurnEnd> {
    const entries: Entry[] = [];
    for (const row of turn.calls) {
      if (turn.signal.aborted) break;
      turn.onProgress(row.name);
      const ready = prepare(row, turn.session);
      if (ready.kind === 'ready' && ready.tool.effect === 'rows') {
        const end = await callRows(turn, row, ready.tool, ready.args);
        entries.push(...end.entries);
        if (end.endsTurn) return { entries, isWaiting: end.isWaiting };
        continue;
      }
      const answer =
        ready.kind === 'refused'
          ? ready.answer
          : await callOutside(turn, row, ready.tool as OutsideTool, ready.args);
      if (!answer) break;
      entries.push(
        ...(await commit(async (tx) => {
          await requireOwned(tx, turn.run);
          return record(tx, row, answer);
        })),
      );
    }
    turn.onProgress(undefined);
    return { entries, isWaiting: false };
  };
}

/** A tool that has not answered by then never will. */
const TOOL_TIMEOUT_MS = 10 * 60_000;

/** Rejects when the run is stopped or the time is up, even if the tool does not heed its signal. */
async function givenTime(
  clock: Clock,
  stopped: AbortSignal,
  call: (signal: AbortSignal) => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  const late = new AbortController();
  const signal = AbortSignal.any([stopped, late.signal]);
  const cancel = clock.after(TOOL_TIMEOUT_MS, () =>
    late.abort(new Error(`no answer within ${TOOL_TIMEOUT_MS / 60_000} minutes; its outcome is unknown`)),
  );
  const ended = Promise.withResolvers<never>();
  const onAbort = () => ended.reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([call(signal), ended.promise]);
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

/** The run gives up its lease and its place in the lane; what is left of its time is kept. */
export async function wait(tx: StoreTx, run: Run, waitingOn: WaitingOn, now: number): Promise<void> {
  await tx.runs.update(
    run.id,
    { from: ['running'], fence: run.fence },
    {
      status: 'waiting',
      waitingOn,
      attempt: 0,
      ...(run.deadlineAt !== undefined && { remainingMs: Math.max(0, run.deadlineAt - now) }),
    },
  );
}
