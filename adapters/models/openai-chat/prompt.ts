/**
 * Our conversation in the SDK's form. Strict servers are the measure: the system message comes first and only once, each
 * tool call's arguments are a JSON object, and people's messages in a row become one, since many chat templates refuse
 * two user messages without an answer in between.
 */
import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import type { ModelMessage, ModelTool } from '../../../src/ports/model.ts';
import { replayableArguments } from './tool-arguments.ts';

type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];
type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

/** Half a surrogate pair (a cut emoji) is not valid in JSON for every server. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}

function assistantParts(message: Extract<ModelMessage, { role: 'assistant' }>): AssistantPart[] {
  const text: AssistantPart[] = message.text ? [{ type: 'text', text: wellFormed(message.text) }] : [];
  const calls = message.toolCalls.map(
    (call): AssistantPart => ({
      type: 'tool-call',
      toolCallId: call.id,
      toolName: call.name,
      input: replayableArguments(call.arguments),
    }),
  );
  return [...text, ...calls];
}

/** The text names the pictures, in the order in which they follow. */
function userParts(message: Extract<ModelMessage, { role: 'user' }>): UserPart[] {
  const pictures = (message.images ?? []).map(
    ({ name, mediaType, bytes }): UserPart => ({
      type: 'file',
      filename: wellFormed(name),
      mediaType,
      data: { type: 'data', data: bytes },
    }),
  );
  return [{ type: 'text', text: wellFormed(message.text) }, ...pictures];
}

function toolResult(message: Extract<ModelMessage, { role: 'tool' }>): LanguageModelV4Message {
  return {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: message.callId,
        toolName: message.toolName,
        output: { type: message.isError ? 'error-text' : 'text', value: wellFormed(message.result) },
      },
    ],
  };
}

/** User messages in a row, joined; everything else as it is. */
function joinUserMessages(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const joined: ModelMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      const images = [...(last.images ?? []), ...(message.images ?? [])];
      const text = `${last.text}\n\n${message.text}`;
      joined[joined.length - 1] = { role: 'user', text, ...(images.length > 0 && { images }) };
    } else {
      joined.push(message);
    }
  }
  return joined;
}

function isEmptyAnswer(message: ModelMessage): boolean {
  return message.role === 'assistant' && message.text === '' && message.toolCalls.length === 0;
}

export function toPrompt(system: string, messages: readonly ModelMessage[]): LanguageModelV4Message[] {
  const spoken = joinUserMessages(messages.filter((message) => !isEmptyAnswer(message)));
  const conversation = spoken.map((message): LanguageModelV4Message => {
    if (message.role === 'user') return { role: 'user', content: userParts(message) };
    if (message.role === 'assistant') return { role: 'assistant', content: assistantParts(message) };
    return toolResult(message);
  });
  return system === '' ? conversation : [{ role: 'system', content: wellFormed(system) }, ...conversation];
}

export function toTools(tools: readonly ModelTool[]): LanguageModelV4FunctionTool[] {
  return tools.map((tool) => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters,
  }));
}
