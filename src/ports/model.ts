/**
 * Language models. One call is one step: the loop, the retries and the tools are ours.
 *
 * Contract of `stream`: it never throws and never rejects. It yields text and tool calls in the order in which the model
 * makes them, then exactly one `finish` or one `failure` as the last event. After `signal` aborts it ends promptly, with
 * a `failure` of class `aborted`. Text that came before a failure is not a reply.
 */
import type { Usage } from '../core/run.ts';
import type { ToolCall } from '../core/transcript.ts';

/** A picture of a user's message, whose text names it. */
export interface ModelImage {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Several user messages may follow each other; an adapter joins them where its provider wants turns to alternate. */
export type ModelMessage =
  | { readonly role: 'user'; readonly text: string; readonly images?: readonly ModelImage[] }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  /** `result` is JSON text. Each tool call of the message before has exactly one. */
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly toolName: string;
      readonly result: string;
      readonly isError: boolean;
    };

/** A tool as the model sees it. `parameters` is a JSON Schema object, computed once. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
}

export interface ModelRequest {
  /** `<provider>/<model>`, one that `describe` knows. */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** `off | minimal | low | medium | high | max`; ignored by models that have no such control. */
  readonly thinking?: string;
}

/** `auth` to `invalid-request` are permanent; the rest may pass. */
export type FailureClass =
  | 'auth'
  | 'billing'
  | 'model-not-found'
  | 'context-exceeded'
  | 'invalid-request'
  | 'aborted'
  | 'rate-limit'
  | 'overload'
  | 'timeout'
  | 'network'
  | 'server';

export interface ModelFailure {
  readonly class: FailureClass;
  /** For the log and, redacted, for people. */
  readonly message: string;
  /** How long the provider asks us to wait. */
  readonly retryAfterMs?: number;
}

export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'tool-call'; readonly call: ToolCall }
  | {
      readonly type: 'finish';
      readonly reason: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other';
      readonly usage: Usage;
    }
  | { readonly type: 'failure'; readonly failure: ModelFailure };

export interface ModelDescription {
  /** Canonical `<provider>/<model>`. */
  readonly ref: string;
  /** True for the built-in stand-in that needs no provider. */
  readonly isOffline: boolean;
  /** Whether it may be shown pictures; a request to one that may not has none. */
  readonly takesImages: boolean;
  /** Price per million tokens in US dollars, when configured. */
  readonly cost?: { readonly input: number; readonly output: number; readonly cachedInput?: number };
}

export interface Models {
  /**
   * Resolves a reference that a person or model wrote (`<provider>/<model>`, or a bare model name of the default
   * provider); `undefined` when no configured provider serves it.
   */
  describe(ref: string): ModelDescription | undefined;
  /** What an agent uses when nothing is said. May ask the provider (Ollama: the first installed model). */
  defaultModel(): Promise<ModelDescription>;
  /** References that can be offered to people: what is listed, and what providers have told. Nobody is asked for it. */
  known(): readonly string[];
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export function isTransient(failure: ModelFailure): boolean {
  return ['rate-limit', 'overload', 'timeout', 'network', 'server'].includes(failure.class);
}
