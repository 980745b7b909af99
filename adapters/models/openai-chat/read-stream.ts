/**
 * The SDK's stream parts as our events. Text flows as it comes. Tool calls are held back until the provider has finished:
 * a stream that is cut half-way may leave a call with half its arguments, and such a call must never run.
 */
import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { Usage } from '../../../src/core/run.ts';
import type { ToolCall } from '../../../src/core/transcript.ts';
import type { ModelEvent, ModelFailure } from '../../../src/ports/model.ts';
import { failureOfPart } from './provider-error.ts';
import { parseArguments } from './tool-arguments.ts';

type FinishReason = Extract<ModelEvent, { type: 'finish' }>['reason'];

function toUsage(usage: LanguageModelV4Usage): Usage {
  return {
    inputTokens: usage.inputTokens.total ?? 0,
    outputTokens: usage.outputTokens.total ?? 0,
    cachedTokens: usage.inputTokens.cacheRead ?? 0,
  };
}

/** Some servers say `stop` although they call tools. */
function toReason(reported: string, hasCalls: boolean): FinishReason {
  if (hasCalls && reported !== 'length' && reported !== 'content-filter') return 'tool-calls';
  const known: readonly FinishReason[] = ['stop', 'length', 'content-filter'];
  return known.find((reason) => reason === reported) ?? 'other';
}

export interface PartReader {
  /** The events that a part makes; nothing may be read after a `finish` or `failure`. */
  read(part: LanguageModelV4StreamPart): readonly ModelEvent[];
}

export function createPartReader(toFailure: (failure: ModelFailure) => ModelEvent): PartReader {
  const calls: ToolCall[] = [];
  return {
    read(part) {
      switch (part.type) {
        case 'text-delta':
          return part.delta === '' ? [] : [{ type: 'text', delta: part.delta }];
        case 'tool-call':
          calls.push({ id: part.toolCallId, name: part.toolName, arguments: parseArguments(part.input) });
          return [];
        case 'error':
          return [toFailure(failureOfPart(part.error))];
        case 'finish':
          return [
            ...calls.map((call): ModelEvent => ({ type: 'tool-call', call })),
            {
              type: 'finish',
              reason: toReason(part.finishReason.unified, calls.length > 0),
              usage: toUsage(part.usage),
            },
          ];
        default:
          return [];
      }
    },
  };
}
