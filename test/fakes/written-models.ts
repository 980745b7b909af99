/** Models whose replies a test writes piece by piece, as a provider streams them. */
import type { ModelDescription, ModelEvent, ModelRequest, Models } from '../../src/ports/model.ts';

export interface WrittenCall {
  readonly request: ModelRequest;
  /** The next piece of the reply. */
  write(delta: string): void;
  /** The reply is whole. */
  finish(): void;
}

export interface WrittenModels extends Models {
  /** Every call so far, in order. */
  readonly calls: readonly WrittenCall[];
}

const MODEL: ModelDescription = { ref: 'fake/model', isOffline: false, takesImages: true };

const END: ModelEvent = {
  type: 'finish',
  reason: 'stop',
  usage: { inputTokens: 10, outputTokens: 5, cachedTokens: 0 },
};

export function createWrittenModels(): WrittenModels {
  const calls: WrittenCall[] = [];

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    const pieces: ModelEvent[] = [];
    let wake: (() => void) | undefined;
    const put = (event: ModelEvent) => {
      pieces.push(event);
      wake?.();
    };
    signal.addEventListener('abort', () =>
      put({ type: 'failure', failure: { class: 'aborted', message: 'aborted' } }),
    );
    calls.push({ request, write: (delta) => put({ type: 'text', delta }), finish: () => put(END) });
    for (;;) {
      const piece = pieces.shift();
      if (piece) {
        yield piece;
        if (piece.type !== 'text') return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }

  return {
    describe: (ref) => (ref === MODEL.ref ? MODEL : undefined),
    defaultModel: () => Promise.resolve(MODEL),
    known: () => [MODEL.ref],
    stream,
    calls,
  };
}
