/**
 * One entry of a transcript, and where it came from. Text that did not originate in this process keeps its provenance
 * for good, so that whoever reads it later knows whose words they are.
 */
import type { Role as ActorRole } from './message.ts';
import type { Usage } from './run.ts';

export interface ToolCall {
  /** The provider's id of the call, unique within the assistant message. */
  readonly id: string;
  readonly name: string;
  /** Parsed JSON as the model sent it; not yet validated. */
  readonly arguments: unknown;
}

/** A picture that came with a message; its bytes are in the store. */
export interface Picture {
  /** The id of the stored file. */
  readonly file: string;
  readonly mediaType: string;
  readonly name: string;
}

export type EntryContent =
  | {
      readonly role: 'user';
      readonly text: string;
      /** Each has its mark in the text, in this order. */
      readonly images?: readonly Picture[];
    }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | {
      readonly role: 'toolResult';
      readonly callId: string;
      readonly toolName: string;
      /** What the tool answered; JSON-serialisable. */
      readonly result: unknown;
      readonly isError: boolean;
    };

export type Role = EntryContent['role'];

/**
 * - `user`: a person wrote it (`sender` names them).
 * - `task`: the assignment that a subagent was spawned with.
 * - `completion`: a subagent's result, handed over by the runtime.
 * - `inter_session`: another session sent it with a tool.
 * - `runtime`: a notice of Skein itself.
 * - `model`: the model's own words; `tool`: a tool's answer.
 * - `fork`: copied from the session named by `sourceSession`.
 */
export interface Provenance {
  readonly kind: 'user' | 'task' | 'completion' | 'inter_session' | 'runtime' | 'model' | 'tool';
  readonly sender?: { readonly id: string; readonly name: string; readonly role: ActorRole };
  readonly sourceSession?: string;
  readonly sourceRun?: string;
  /** The platform message it came in with, so that a reply can refer to it. */
  readonly eventId?: string;
  /** The place (its `placeKey`) where `eventId` names a message; absent for what was pressed or given as a native command. */
  readonly place?: string;
  /** The session that this entry was copied from by a fork. */
  readonly forkedFrom?: string;
}

export interface NewEntry {
  readonly content: EntryContent;
  readonly provenance: Provenance;
  readonly runId?: string;
  readonly usage?: Usage;
}

export interface Entry extends NewEntry {
  /** 1, 2, 3 … within the session, without gaps. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The words of an entry that a person could have read; empty for tool results, which are not searched. */
export function visibleText(content: EntryContent): string {
  return content.role === 'toolResult' ? '' : content.text;
}
