/** Speaks the stand-in's reply word by word, so that people see what streaming looks like. */
import type { Usage } from '../../../src/core/run.ts';
import { type Clock, sleep } from '../../../src/ports/clock.ts';
import type { ModelEvent, ModelRequest } from '../../../src/ports/model.ts';
import { type PlannedReply, planReply } from './planner.ts';

const PAUSE_MS = 15;
/** Long replies come in larger pieces instead of taking longer: 180 × 15 ms stays under 3 s. */
const MAX_PAUSES = 180;

function wordsIn(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

/** Tokens of a model that has none: words. */
function countUsage(request: ModelRequest, reply: PlannedReply): Usage {
  const said = request.messages.map((message) =>
    wordsIn(message.role === 'tool' ? message.result : message.text),
  );
  const called = reply.toolCalls.map((call) => wordsIn(JSON.stringify(call.arguments)));
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    inputTokens: wordsIn(request.system) + sum(said),
    outputTokens: wordsIn(reply.text) + sum(called),
    cachedTokens: 0,
  };
}

function pieces(text: string): readonly string[] {
  const words = text.match(/\S+\s*/g) ?? [];
  const size = Math.max(1, Math.ceil(words.length / MAX_PAUSES));
  return Array.from({ length: Math.ceil(words.length / size) }, (_, index) =>
    words.slice(index * size, (index + 1) * size).join(''),
  );
}

const ABORTED: ModelEvent = {
  type: 'failure',
  failure: { class: 'aborted', message: 'the call was stopped' },
};

export async function* streamOffline(
  request: ModelRequest,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void> {
  const reply = planReply(request);
  for (const delta of pieces(reply.text)) {
    if (signal.aborted) return yield ABORTED;
    yield { type: 'text', delta };
    await sleep(clock, PAUSE_MS, signal);
  }
  if (signal.aborted) return yield ABORTED;
  const step = request.messages.length;
  for (const [index, call] of reply.toolCalls.entries()) {
    yield { type: 'tool-call', call: { id: `call_${step}_${index}`, ...call } };
  }
  yield {
    type: 'finish',
    reason: reply.toolCalls.length > 0 ? 'tool-calls' : 'stop',
    usage: countUsage(request, reply),
  };
}
