/** The transcript as the stand-in reads it: whose turn it is, what was started, and what has come back. */
import { ownWords } from '../../../src/core/attachment-text.ts';
import { completionInstruction, parseCompletionBlocks, TASK_MARK } from '../../../src/core/prompt-blocks.ts';
import type { ToolCall } from '../../../src/core/transcript.ts';
import type { ModelMessage } from '../../../src/ports/model.ts';

export type Completion = ReturnType<typeof parseCompletionBlocks>[number];
type ToolResult = Extract<ModelMessage, { role: 'tool' }>;

export interface AnsweredCall {
  readonly call: ToolCall;
  /** The tool's answer, parsed where it is JSON. */
  readonly result: unknown;
  readonly isError: boolean;
}

export type Said =
  | { readonly kind: 'person'; readonly text: string }
  | { readonly kind: 'session'; readonly text: string }
  /** `isKnown`: the results already stand in the subagents' own threads. */
  | { readonly kind: 'completions'; readonly completions: readonly Completion[]; readonly isKnown: boolean }
  | { readonly kind: 'notice' };

/** Escapes that the runtime puts before look-alikes of its own marks, taken out again for reading. */
function unescaped(text: string): string {
  return text.replace(/\\\[/g, '[');
}

export function readUserText(text: string): Said {
  const completions = parseCompletionBlocks(text);
  if (completions.length > 0) {
    return { kind: 'completions', completions, isKnown: text.includes(completionInstruction(true)) };
  }
  const session = /^\[Inter-session message[^\]]*\]\n?/.exec(text);
  if (session) return { kind: 'session', text: unescaped(text.slice(session[0].length)).trim() };
  if (text.startsWith('[Skein notice]')) return { kind: 'notice' };
  const body = text.replace(/^\[message from [^\]\n]*\]\n/, '');
  return { kind: 'person', text: unescaped(ownWords(body)).trim() };
}

/** What came after the model's last words. */
export function pending(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  return messages.slice(messages.findLastIndex((message) => message.role === 'assistant') + 1);
}

export function subagentTask(
  messages: readonly ModelMessage[],
): { readonly task: string; readonly since: readonly ModelMessage[] } | undefined {
  const at = messages.findLastIndex(
    (message) => message.role === 'user' && message.text.startsWith(TASK_MARK),
  );
  const message = messages[at];
  if (message?.role !== 'user') return undefined;
  return { task: message.text.slice(TASK_MARK.length).trim(), since: messages.slice(at + 1) };
}

function parsedResult(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function answeredCalls(
  messages: readonly ModelMessage[],
  results: readonly ToolResult[],
): readonly AnsweredCall[] {
  const asked = messages.findLast((message) => message.role === 'assistant');
  const calls = asked?.role === 'assistant' ? asked.toolCalls : [];
  return results.map((message) => ({
    call: calls.find((call) => call.id === message.callId) ?? {
      id: message.callId,
      name: message.toolName,
      arguments: {},
    },
    result: parsedResult(message.result),
    isError: message.isError,
  }));
}

export function completionsIn(messages: readonly ModelMessage[]): readonly Completion[] {
  return messages.flatMap((message) => (message.role === 'user' ? parseCompletionBlocks(message.text) : []));
}

export function textArgument(call: ToolCall, name: string): string {
  const given = (call.arguments as Record<string, unknown> | null)?.[name];
  return typeof given === 'string' ? given : '';
}

/** Labels of the subagents that this session started, in order. */
export function spawnedLabels(messages: readonly ModelMessage[]): readonly string[] {
  return messages
    .flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []))
    .filter((call) => call.name === 'sessions_spawn')
    .map((call) => textArgument(call, 'label'))
    .filter((label) => label !== '');
}
