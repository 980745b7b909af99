/**
 * One model call: gathers what the model says into one assistant message, and lets people see it being written. Nothing
 * is stored here: a call that fails half-way leaves no trace in the transcript. Secrets of ours are taken out of the message as
 * a whole, before it is stored, cut or acted on: half a secret would not be known as one.
 */
import type { Address } from '../core/address.ts';
import type { RunId } from '../core/ids.ts';
import type { Mask } from '../core/mask.ts';
import type { Usage } from '../core/run.ts';
import { shownSoFar } from '../core/silence.ts';
import type { ToolCall } from '../core/transcript.ts';
import type { Clock } from '../ports/clock.ts';
import type { Live } from '../ports/live.ts';
import type { ModelFailure, ModelRequest, Models } from '../ports/model.ts';

export type ModelReply =
  | {
      readonly kind: 'message';
      readonly text: string;
      readonly toolCalls: readonly ToolCall[];
      readonly usage: Usage;
      readonly isCutByLength: boolean;
    }
  | { readonly kind: 'failure'; readonly failure: ModelFailure };

/** A preview is shown at most this often. */
const PREVIEW_INTERVAL_MS = 60;

export async function callModel(
  models: Models,
  request: ModelRequest,
  signal: AbortSignal,
  mask: Mask,
  preview: { readonly live: Live; readonly clock: Clock; readonly runId: RunId; readonly address?: Address },
): Promise<ModelReply> {
  const { live, clock, runId, address } = preview;
  let text = '';
  let shownAt = 0;
  const toolCalls: ToolCall[] = [];
  for await (const event of models.stream(request, signal)) {
    switch (event.type) {
      case 'text':
        text += event.delta;
        if (address && clock.now() - shownAt >= PREVIEW_INTERVAL_MS) {
          const shown = shownSoFar(text);
          if (shown === '') break;
          shownAt = clock.now();
          live.publish({ type: 'delta', runId, address, text: shown });
        }
        break;
      case 'tool-call':
        toolCalls.push(event.call);
        break;
      case 'failure':
        return { kind: 'failure', failure: event.failure };
      case 'finish':
        return {
          kind: 'message',
          text: mask.text(text),
          toolCalls: distinctIds(toolCalls).map((call) => ({
            ...call,
            arguments: mask.json(call.arguments),
          })),
          usage: event.usage,
          isCutByLength: event.reason === 'length',
        };
    }
  }
  return { kind: 'failure', failure: { class: 'network', message: 'the model stream ended without an end' } };
}

/** Some servers give every call the same id, or none; results are matched by it, so it is made unique here. */
function distinctIds(calls: readonly ToolCall[]): readonly ToolCall[] {
  const seen = new Set<string>();
  return calls.map((call, i) => {
    const id = call.id === '' || seen.has(call.id) ? `${call.id}_${i}` : call.id;
    seen.add(id);
    return { ...call, id };
  });
}
