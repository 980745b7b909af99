/**
 * What the engine knows of a tool. How a call may be repeated after a crash follows from where its effect is:
 * - `rows`: only in our own store. The effect and the recorded result commit together, so a call is done once or not at all.
 * - `idempotent`: repeating it does no harm; it is repeated.
 * - `outside`: anywhere else. Without a recorded result its outcome is unknown; it is never repeated.
 */
import type { z } from 'zod';
import type { AfterCommit } from '../commit.ts';
import type { Actor } from '../core/message.ts';
import type { WaitingOn } from '../core/run.ts';
import type { ModelTool } from '../ports/model.ts';
import type { Run, Session, StoreTx } from '../ports/store/index.ts';

/** On whose behalf a tool is called. */
export interface Caller {
  readonly session: Session;
  /** Absent when a person calls the tool as that session, outside of any run. */
  readonly run?: Run;
  readonly actor: Actor;
  /** Names this call for good: `<runId>:<step>:<index>`, or an id of the request. */
  readonly key: string;
}

export interface ToolAnswer {
  /** JSON-serialisable; given to the model as it is. */
  readonly result: unknown;
  readonly isError?: boolean;
  /** Later calls of the same step are not carried out. */
  readonly endsTurn?: boolean;
  /** With `endsTurn`: the run leaves its place and waits for this; without, it goes on with its next step. */
  readonly wait?: WaitingOn;
}

interface ToolBase<A> {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<A>;
}

export interface RowsTool<A = unknown> extends ToolBase<A> {
  readonly effect: 'rows';
  call(args: A, caller: Caller, tx: StoreTx, after: AfterCommit): Promise<ToolAnswer>;
}

export interface OutsideTool<A = unknown> extends ToolBase<A> {
  readonly effect: 'idempotent' | 'outside';
  call(args: A, caller: Caller, signal: AbortSignal): Promise<ToolAnswer>;
}

export type Tool = RowsTool | OutsideTool;

/** A tool with its JSON Schema, computed once. */
export interface OfferedTool {
  readonly tool: Tool;
  readonly forModel: ModelTool;
}

/** The tools by name, and which of them a session may use. */
export interface Toolbox {
  get(name: string): OfferedTool | undefined;
  offeredTo(session: Session): readonly OfferedTool[];
  isAllowed(name: string, session: Session): boolean;
}

/** Every refusal and failure a tool answers with has this shape. */
export function toolError(error: string, status: 'error' | 'forbidden' = 'error'): ToolAnswer {
  return { result: { status, error }, isError: true };
}
