/**
 * Branded identifiers. An id is made or parsed once, at the edge; after that the type says what it is, and no
 * function needs to trim or check it again.
 */
declare const brand: unique symbol;
type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Names a session, e.g. `agent:main:webchat:channel:general`. Parsed by `session-key.ts`. */
export type SessionKey = Brand<string, 'SessionKey'>;
/** Names one run of a session, e.g. `run_0190f2…`. */
export type RunId = Brand<string, 'RunId'>;
/** Deterministic name of one durable platform call; the same id is never carried out twice. */
export type OperationId = Brand<string, 'OperationId'>;
export type InputId = Brand<string, 'InputId'>;
export type BindingId = Brand<string, 'BindingId'>;
/** `<runId>:<step>:<index>`: names a tool call by its place in the run, so that repeating it is recognised. */
export type ToolCallKey = Brand<string, 'ToolCallKey'>;

export const runId = (value: string): RunId => value as RunId;
export const operationId = (value: string): OperationId => value as OperationId;
export const inputId = (value: string): InputId => value as InputId;
export const bindingId = (value: string): BindingId => value as BindingId;
export const toolCallKey = (run: RunId, step: number, index: number): ToolCallKey =>
  `${run}:${step}:${index}` as ToolCallKey;
