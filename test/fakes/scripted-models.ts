/**
 * Models that say what a script tells them to, request by request. A script that answers `HOLD` leaves the call open until
 * the test releases it or the run is stopped, as a slow provider would.
 */
import type { ToolCall } from '../../src/core/transcript.ts';
import type {
  ModelDescription,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  Models,
} from '../../src/ports/model.ts';

export const HOLD = Symbol('hold');

export type ScriptedReply =
  | string
  | { readonly text?: string; readonly calls: readonly Omit<ToolCall, 'id'>[] }
  | { readonly failure: ModelFailure };

export type Script = (request: ModelRequest) => ScriptedReply | typeof HOLD;

export interface ScriptedCall {
  readonly request: ModelRequest;
  /** `held` until released; `aborted` when the run was stopped first. */
  state: 'held' | 'answered' | 'aborted';
}

export interface ScriptedModels extends Models {
  /** Every call so far, in order. */
  readonly calls: readonly ScriptedCall[];
  /** Calls that are open now. */
  held(): readonly ScriptedCall[];
  /** Answers an open call. */
  release(call: ScriptedCall, reply: ScriptedReply): void;
}

/** What the newest message of the request says, whoever it is from. */
export function lastText(request: ModelRequest): string {
  const last = request.messages.at(-1);
  if (!last) return '';
  return last.role === 'tool' ? last.result : last.text;
}

export const isSubagent = (request: ModelRequest): boolean => request.system.startsWith('You are a subagent');

const USAGE = { inputTokens: 10, outputTokens: 5, cachedTokens: 0 };

/** `known`: references that exist beside `fake/model`, which is the default. */
export function createScriptedModels(
  script: Script,
  known: readonly string[] = [],
  takesImages = true,
): ScriptedModels {
  const calls: ScriptedCall[] = [];
  const waiting = new Map<ScriptedCall, (reply: ScriptedReply) => void>();
  let callIds = 0;

  function reply(call: ScriptedCall, signal: AbortSignal): Promise<ScriptedReply | undefined> {
    const scripted = script(call.request);
    if (scripted !== HOLD) return Promise.resolve(scripted);
    return new Promise((resolve) => {
      const abort = () => resolve(undefined);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      waiting.set(call, (released) => {
        signal.removeEventListener('abort', abort);
        resolve(released);
      });
    });
  }

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const call: ScriptedCall = { request, state: 'held' };
    calls.push(call);
    const answer = await reply(call, signal);
    waiting.delete(call);
    call.state = answer === undefined ? 'aborted' : 'answered';
    if (answer === undefined) {
      yield { type: 'failure', failure: { class: 'aborted', message: 'aborted' } };
      return;
    }
    yield* eventsOf(answer);
  }

  function* eventsOf(answer: ScriptedReply): Iterable<ModelEvent> {
    if (typeof answer === 'string') {
      yield { type: 'text', delta: answer };
      yield { type: 'finish', reason: 'stop', usage: USAGE };
    } else if ('failure' in answer) {
      yield { type: 'failure', failure: answer.failure };
    } else {
      if (answer.text) yield { type: 'text', delta: answer.text };
      for (const call of answer.calls)
        yield { type: 'tool-call', call: { ...call, id: `call_${++callIds}` } };
      yield { type: 'finish', reason: 'tool-calls', usage: USAGE };
    }
  }

  const describe = (ref: string): ModelDescription | undefined =>
    ref === 'fake/model' || known.includes(ref) ? { ref, isOffline: false, takesImages } : undefined;

  return {
    describe,
    defaultModel: () => Promise.resolve(describe('fake/model')!),
    known: () => ['fake/model', ...known],
    stream,
    calls,
    held: () => calls.filter((call) => call.state === 'held' && waiting.has(call)),
    release(call, answer) {
      const resolve = waiting.get(call);
      if (!resolve) throw new Error('that call is not open');
      resolve(answer);
    },
  };
}
