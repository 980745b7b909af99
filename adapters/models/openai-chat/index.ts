/**
 * Any server that speaks OpenAI's chat completions: OpenAI, OpenRouter, Ollama, vLLM, LM Studio. One call, no retries:
 * whether to try again is the loop's decision.
 */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { ModelEvent, ModelFailure, ModelRequest } from '../../../src/ports/model.ts';
import { apiUrl, type ProviderSettings } from '../providers.ts';
import { redactKey } from '../redact-key.ts';
import { hasPictures, refusesPictures, withoutPictures } from './pictures.ts';
import { toPrompt, toTools } from './prompt.ts';
import { failureOfCall } from './provider-error.ts';
import { createPartReader } from './read-stream.ts';
import { effortFor, refusesThinking } from './thinking.ts';
import { createWatchdog, type Watchdog, watchedFetch } from './watchdog.ts';

export interface OpenAiChat {
  /** As `Models.stream`, for one model of this provider. */
  stream(modelId: string, request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export interface OpenAiChatSetup {
  readonly providerId: string;
  readonly settings: ProviderSettings;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetch: typeof fetch;
}

type OpenModel = (modelId: string) => LanguageModelV4;

/**
 * Loading the SDK costs start-up time; a bot on the offline model never pays it. A model is made once: the SDK builds the
 * schemas of its answers with it, which costs more than a call.
 */
async function loadSdk(
  setup: OpenAiChatSetup,
  baseURL: string,
  onBytes: (signal: AbortSignal) => void,
): Promise<OpenModel> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const { providerId, settings } = setup;
  const provider = createOpenAICompatible({
    name: providerId,
    baseURL,
    includeUsage: true,
    fetch: watchedFetch(setup.fetch, onBytes),
    ...(settings.apiKey && { apiKey: settings.apiKey }),
  });
  const models = new Map<string, LanguageModelV4>();
  return (modelId) => {
    const model = models.get(modelId) ?? provider.chatModel(modelId);
    models.set(modelId, model);
    return model;
  };
}

function callOptions(request: ModelRequest, withThinking: boolean): LanguageModelV4CallOptions {
  const reasoning = withThinking ? effortFor(request.thinking) : undefined;
  return {
    prompt: toPrompt(request.system, request.messages),
    ...(request.tools.length > 0 && { tools: toTools(request.tools), toolChoice: { type: 'auto' } }),
    ...(reasoning && { reasoning }),
  };
}

export function createOpenAiChat(setup: OpenAiChatSetup): OpenAiChat {
  const { providerId, settings, clock, log } = setup;
  const withoutThinking = new Set<string>();
  const watchdogs = new WeakMap<AbortSignal, Watchdog>();
  let sdk: Promise<OpenModel> | undefined;

  const failed = (failure: ModelFailure): ModelEvent => ({
    type: 'failure',
    failure: { ...failure, message: redactKey(`${providerId}: ${failure.message}`, settings.apiKey) },
  });

  const endedBy = (watchdog: Watchdog): ModelEvent | undefined => {
    const why = watchdog.why();
    if (why === 'aborted') return failed({ class: 'aborted', message: 'the call was stopped' });
    return why && failed({ class: 'timeout', message: 'it has been silent for too long' });
  };

  /** One request; ends with exactly one `finish` or `failure`. */
  async function* callOnce(
    modelId: string,
    request: ModelRequest,
    call: { readonly withThinking: boolean; readonly watchdog: Watchdog },
  ): AsyncGenerator<ModelEvent, void> {
    const { watchdog, withThinking } = call;
    const baseURL = apiUrl(providerId, settings);
    if (!baseURL) {
      yield failed({
        class: 'invalid-request',
        message: `models.providers.${providerId}.baseUrl is missing`,
      });
      return;
    }
    try {
      sdk ??= loadSdk(setup, baseURL, (of) => watchdogs.get(of)?.touch());
      const model = (await sdk)(modelId);
      const opening = model.doStream({
        ...callOptions(request, withThinking),
        abortSignal: watchdog.signal,
      });
      const opened = await unlessEnded(opening, watchdog);
      if (!opened) return yield endedBy(watchdog)!;
      const parts = opened.stream.getReader();
      const reader = createPartReader(failed);
      for (;;) {
        watchdog.touch();
        const next = await unlessEnded(parts.read(), watchdog);
        if (!next) return yield endedBy(watchdog)!;
        if (next.done) return yield failed({ class: 'network', message: 'its stream ended without an end' });
        for (const event of reader.read(next.value)) {
          yield event;
          if (event.type === 'finish' || event.type === 'failure') return;
        }
      }
    } catch (thrown) {
      yield endedBy(watchdog) ?? failed(failureOfCall(thrown, clock.now()));
    }
  }

  async function* stream(
    modelId: string,
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, void> {
    const watchdog = createWatchdog(clock, signal);
    watchdogs.set(watchdog.signal, watchdog);
    try {
      let asked = request;
      let withThinking = effortFor(request.thinking) !== undefined && !withoutThinking.has(modelId);
      for (;;) {
        const refusal = yield* untilRefused(callOnce(modelId, asked, { withThinking, watchdog }), {
          ...(withThinking && { thinking: refusesThinking }),
          ...(hasPictures(asked) && { pictures: refusesPictures }),
        });
        if (refusal === undefined) return;
        log.info({ provider: providerId, model: modelId }, `The model takes no ${refusal}; asking without`);
        if (refusal === 'pictures') asked = withoutPictures(asked);
        else {
          withThinking = false;
          withoutThinking.add(modelId);
        }
      }
    } finally {
      watchdog.close();
    }
  }

  return { stream };
}

/** The events up to a failure by which the provider refuses a part of the request; returns which. */
async function* untilRefused<Part extends string>(
  events: AsyncGenerator<ModelEvent, void>,
  refuses: { readonly [P in Part]?: (failure: ModelFailure) => boolean },
): AsyncGenerator<ModelEvent, Part | undefined> {
  for await (const event of events) {
    if (event.type === 'failure') {
      const parts = Object.keys(refuses) as Part[];
      const refused = parts.find((part) => refuses[part]?.(event.failure));
      if (refused !== undefined) return refused;
    }
    yield event;
  }
  return undefined;
}

/** `undefined` as soon as the call is to end, whether or not the SDK noticed. */
async function unlessEnded<T>(work: PromiseLike<T>, watchdog: Watchdog): Promise<T | undefined> {
  const settled = Promise.resolve(work);
  settled.catch(() => undefined);
  if (watchdog.why()) return undefined;
  return Promise.race([settled, watchdog.ended.then(() => undefined)]);
}
