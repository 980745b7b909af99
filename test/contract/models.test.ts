/** The promises of the Models port, kept by every kind of model; and what is particular to OpenAI-compatible servers. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createModels, type ProviderSettings } from '../../adapters/models/index.ts';
import { THINKING_LEVELS } from '../../src/core/thinking.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import type { FailureClass, ModelEvent, ModelRequest, Models } from '../../src/ports/model.ts';
import { createFakeModelServer, type FakeModelServer, type FakeReply } from '../fakes/model-server.ts';

const KEY = 'sk-test-0123456789abcdef';

const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};

const realClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, fire) => {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Time that stands until it is moved; how many timers are pending shows leaks. */
function createManualClock(): Clock & { advance(ms: number): void; pending(): number } {
  const timers = new Set<{ at: number; fire: () => void }>();
  let now = 1_800_000_000_000;
  return {
    now: () => now,
    after: (delayMs, fire) => {
      const timer = { at: now + delayMs, fire };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms) => {
      now += ms;
      for (const timer of [...timers].filter((one) => one.at <= now)) {
        timers.delete(timer);
        timer.fire();
      }
    },
    pending: () => timers.size,
  };
}

const ask = (model: string, text = 'hello', more: Partial<ModelRequest> = {}): ModelRequest => ({
  model,
  system: 'You are a test.',
  messages: [{ role: 'user', text }],
  tools: [{ name: 'sessions_spawn', description: 'Starts a subagent.', parameters: { type: 'object' } }],
  ...more,
});

async function collect(
  events: AsyncIterable<ModelEvent>,
  onEvent: (event: ModelEvent) => void = () => undefined,
): Promise<readonly ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) {
    all.push(event);
    onEvent(event);
  }
  return all;
}

const textOf = (events: readonly ModelEvent[]) =>
  events.map((event) => (event.type === 'text' ? event.delta : '')).join('');
const failureOf = (events: readonly ModelEvent[]) => {
  const last = events.at(-1);
  return last?.type === 'failure' ? last.failure : undefined;
};
const never = () => new AbortController().signal;

let server: FakeModelServer;
beforeEach(async () => {
  server = await createFakeModelServer();
});
afterEach(async () => {
  await server.close();
});

function modelsOn(clock: Clock, settings: Partial<ProviderSettings> = {}): Models {
  const provider: ProviderSettings = {
    api: 'openai-chat',
    baseUrl: server.baseUrl,
    apiKey: KEY,
    ...settings,
  };
  return createModels({
    providers: new Map([['fake', provider]]),
    defaultModel: 'fake/fake-model',
    clock,
    log: silentLog,
  });
}

const kinds = [
  { name: 'the offline model', ref: 'offline/stand-in' },
  { name: 'an OpenAI-compatible server', ref: 'fake/fake-model' },
];

describe.each(kinds)('$name', ({ ref }) => {
  it('ends a text with exactly one finish, after the text, with its usage', async () => {
    const events = await collect(modelsOn(realClock).stream(ask(ref), never()));
    expect(textOf(events)).not.toBe('');
    expect(events.filter((event) => event.type === 'finish' || event.type === 'failure')).toHaveLength(1);
    const last = events.at(-1);
    expect(last).toMatchObject({ type: 'finish', reason: 'stop' });
    expect(last?.type === 'finish' && last.usage.inputTokens).toBeGreaterThan(0);
    expect(last?.type === 'finish' && last.usage.outputTokens).toBeGreaterThan(0);
  });

  it('gives tool calls with parsed arguments before the finish that names them', async () => {
    server.reply(() => ({
      type: 'tool-calls',
      calls: [{ name: 'sessions_spawn', arguments: { task: 'tea', label: 'tea', thread: true } }],
    }));
    const events = await collect(modelsOn(realClock).stream(ask(ref, 'look into tea in a thread'), never()));
    const calls = events.filter((event) => event.type === 'tool-call').map((event) => event.call);
    expect(calls).toMatchObject([
      { name: 'sessions_spawn', arguments: { task: 'tea', label: 'tea', thread: true } },
    ]);
    expect(calls[0]?.id).not.toBe('');
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' });
  });

  it('ends at once as aborted when the signal was aborted before', async () => {
    const events = await collect(modelsOn(realClock).stream(ask(ref), AbortSignal.abort()));
    expect(events).toMatchObject([{ type: 'failure', failure: { class: 'aborted' } }]);
    expect(server.requests).toHaveLength(0);
  });

  it('ends promptly as aborted when the signal aborts in the middle, whatever the reason given', async () => {
    server.reply(() => ({ type: 'stall', text: 'I was about to ' }));
    const stop = new AbortController();
    const events = await collect(modelsOn(realClock).stream(ask(ref), stop.signal), () =>
      stop.abort(new Error('a reason of the caller')),
    );
    expect(events.at(0)).toMatchObject({ type: 'text' });
    expect(events.slice(1)).toMatchObject([{ type: 'failure', failure: { class: 'aborted' } }]);
  });

  it('keeps no timer when the reader walks away', async () => {
    const clock = createManualClock();
    for await (const event of modelsOn(clock).stream(ask(ref), never())) {
      expect(event.type).toBe('text');
      break;
    }
    expect(clock.pending()).toBe(0);
  });

  it('answers a reference that nobody serves with a failure', async () => {
    const events = await collect(modelsOn(realClock).stream(ask(`no-such-provider/${ref}`), never()));
    expect(failureOf(events)?.class).toBe('model-not-found');
  });
});

describe('an OpenAI-compatible server is sent', () => {
  it('a conversation that strict providers accept', async () => {
    const request = ask('fake/fake-model', '', {
      messages: [
        { role: 'user', text: 'first' },
        { role: 'user', text: 'second' },
        {
          role: 'assistant',
          text: '',
          toolCalls: [
            { id: 'a', name: 'sessions_spawn', arguments: { task: 'tea' } },
            { id: 'b', name: 'sessions_spawn', arguments: '{"task": "cof' },
          ],
        },
        {
          role: 'tool',
          callId: 'a',
          toolName: 'sessions_spawn',
          result: '{"status":"accepted"}',
          isError: false,
        },
        { role: 'tool', callId: 'b', toolName: 'sessions_spawn', result: '{"error":"bad"}', isError: true },
        { role: 'assistant', text: '', toolCalls: [] },
        { role: 'user', text: 'a cut emoji \ud83d' },
      ],
    });
    const events = await collect(modelsOn(realClock).stream(request, never()));
    expect(events.at(-1)?.type).toBe('finish');
    expect(server.violations).toEqual([]);
    const body = server.requests[0]?.body;
    expect(body?.messages.map((message) => message.role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
    expect(body?.messages[1]?.content).toBe('first\n\nsecond');
    expect(body?.messages[5]?.content).toBe('a cut emoji \ufffd');
    expect(body?.stream).toBe(true);
    expect(body?.stream_options).toEqual({ include_usage: true });
    expect(body?.tools?.map((tool) => tool.function.name)).toEqual(['sessions_spawn']);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('no authorization when no key is configured, and no tools when there are none', async () => {
    const models = createModels({
      providers: new Map([['local', { api: 'openai-chat', baseUrl: server.rootUrl }]]),
      defaultModel: 'local/m',
      clock: realClock,
      log: silentLog,
    });
    const events = await collect(models.stream(ask('local/m', 'hi', { tools: [], system: '' }), never()));
    expect(textOf(events)).toBe('ok');
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(server.requests[0]?.body.tools).toBeUndefined();
    expect(server.requests[0]?.body.messages[0]?.role).toBe('user');
  });

  it('every thinking level there is', async () => {
    const models = modelsOn(realClock);
    for (const thinking of THINKING_LEVELS)
      await collect(models.stream(ask('fake/fake-model', 'hi', { thinking }), never()));
    const sent = server.requests.map((one) => one.body.reasoning_effort);
    expect(sent).toEqual(['none', 'minimal', 'low', 'medium', 'high', 'high', 'high']);
  });

  it('the thinking level, and not again once the model has refused such a control', async () => {
    server.reply((body) =>
      body.reasoning_effort
        ? {
            type: 'error',
            status: 400,
            body: { error: { message: 'Unsupported parameter: reasoning_effort' } },
          }
        : { type: 'text', text: 'fine' },
    );
    const models = modelsOn(realClock);
    const request = ask('fake/fake-model', 'hi', { thinking: 'max' });
    expect(textOf(await collect(models.stream(request, never())))).toBe('fine');
    expect(textOf(await collect(models.stream(request, never())))).toBe('fine');
    expect(server.requests.map((one) => one.body.reasoning_effort)).toEqual(['high', undefined, undefined]);
  });

  describe('pictures', () => {
    const bytes = Uint8Array.of(137, 80, 78, 71);
    const cat = { name: 'cat.png', mediaType: 'image/png', bytes };
    const shown = ask('fake/fake-model', '', {
      messages: [
        { role: 'user', text: 'look\n\n[picture cat.png]', images: [cat] },
        { role: 'user', text: 'and [this]\n\n[picture cat.png]', images: [cat] },
      ],
    });

    it('whole, behind the text that names them', async () => {
      await collect(modelsOn(realClock).stream(shown, never()));
      const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } };
      expect(server.requests[0]?.body.messages[1]?.content).toEqual([
        { type: 'text', text: 'look\n\n[picture cat.png]\n\nand [this]\n\n[picture cat.png]' },
        image,
        image,
      ]);
      expect(server.violations).toEqual([]);
    });

    it.each([
      [404, 'No endpoints found that support image input'],
      [400, 'Invalid image data'],
      [500, 'image input is not supported by this model'],
    ])('as words where they are refused (%i %s)', async (status, message) => {
      server.reply((body) =>
        Array.isArray(body.messages[1]?.content)
          ? { type: 'error', status, body: { error: { message } } }
          : { type: 'text', text: 'fine' },
      );
      expect(textOf(await collect(modelsOn(realClock).stream(shown, never())))).toBe('fine');
      const note = '[picture cat.png: this model cannot see pictures]';
      expect(server.requests.map(({ body }) => body.messages[1]?.content)[1]).toBe(
        `look\n\n${note}\n\nand [this]\n\n${note}`,
      );
    });
  });

  it('one request and no more, whatever comes back', async () => {
    server.reply(() => ({ type: 'error', status: 500 }));
    await collect(modelsOn(realClock).stream(ask('fake/fake-model'), never()));
    expect(server.requests).toHaveLength(1);
  });
});

describe('from an OpenAI-compatible server come', () => {
  const call = (reply: FakeReply, clock: Clock = realClock) => {
    server.reply(() => reply);
    return collect(modelsOn(clock).stream(ask('fake/fake-model'), never()));
  };

  it('text as it streams, and the usage with cached tokens', async () => {
    const usage = { input: 200, output: 7, cached: 120 };
    const events = await call({ type: 'text', text: '', chunks: ['one ', 'two'], usage });
    expect(events).toEqual([
      { type: 'text', delta: 'one ' },
      { type: 'text', delta: 'two' },
      { type: 'finish', reason: 'stop', usage: { inputTokens: 200, outputTokens: 7, cachedTokens: 120 } },
    ]);
  });

  it.each([
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['something_new', 'other'],
  ])('the finish reason %s as %s', async (sent, expected) => {
    const events = await call({ type: 'text', text: 'x', finishReason: sent });
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: expected });
  });

  it('several tool calls in order, also when the server says "stop"', async () => {
    const events = await call({
      type: 'tool-calls',
      text: 'Starting.',
      finishReason: 'stop',
      calls: [
        { id: 'one', name: 'a', arguments: { x: 1 } },
        { id: 'two', name: 'b', arguments: '' },
      ],
    });
    expect(events).toMatchObject([
      { type: 'text', delta: 'Starting.' },
      { type: 'tool-call', call: { id: 'one', name: 'a', arguments: { x: 1 } } },
      { type: 'tool-call', call: { id: 'two', name: 'b', arguments: {} } },
      { type: 'finish', reason: 'tool-calls' },
    ]);
  });

  it('malformed arguments as the raw string, so that the call can be answered', async () => {
    const events = await call({
      type: 'tool-calls',
      calls: [{ id: 'x', name: 'a', arguments: '{"task": "te' }],
    });
    expect(events[0]).toEqual({ type: 'tool-call', call: { id: 'x', name: 'a', arguments: '{"task": "te' } });
    expect(events.at(-1)).toMatchObject({ type: 'finish' });
  });

  it.each<[string, FakeReply, FailureClass]>([
    ['401', { type: 'error', status: 401, body: { error: { message: `bad key ${KEY}` } } }, 'auth'],
    ['403', { type: 'error', status: 403 }, 'auth'],
    ['402', { type: 'error', status: 402 }, 'billing'],
    [
      '429 of an empty account',
      { type: 'error', status: 429, body: { error: { message: 'no', code: 'insufficient_quota' } } },
      'billing',
    ],
    ['429 of a busy one', { type: 'error', status: 429 }, 'rate-limit'],
    ['404', { type: 'error', status: 404, body: { error: { message: 'no such model' } } }, 'model-not-found'],
    [
      '400 for a long prompt, by its code',
      { type: 'error', status: 400, body: { error: { message: 'no', code: 'context_length_exceeded' } } },
      'context-exceeded',
    ],
    [
      '400 for a long prompt, by its words, as plain text in `error`',
      { type: 'error', status: 400, body: { error: 'the maximum context length is 4096 tokens' } },
      'context-exceeded',
    ],
    [
      '400 for an unknown model',
      {
        type: 'error',
        status: 400,
        body: { object: 'error', message: 'x/y is not a valid model ID', code: 400 },
      },
      'model-not-found',
    ],
    ['400', { type: 'error', status: 400 }, 'invalid-request'],
    ['422', { type: 'error', status: 422, body: 'not json at all' }, 'invalid-request'],
    ['408', { type: 'error', status: 408 }, 'timeout'],
    ['504', { type: 'error', status: 504, body: '<html>gateway</html>' }, 'timeout'],
    ['503', { type: 'error', status: 503 }, 'overload'],
    ['529', { type: 'error', status: 529 }, 'overload'],
    ['500', { type: 'error', status: 500, body: '' }, 'server'],
    ['502', { type: 'error', status: 502 }, 'server'],
    ['a reset before any byte', { type: 'cut' }, 'network'],
    ['a reset in the middle', { type: 'cut', text: 'half a ' }, 'network'],
    ['an end without a finish', { type: 'ends-early', text: 'half a ' }, 'network'],
    ['an empty stream', { type: 'raw', lines: [''] }, 'network'],
    ['a stream that is no JSON', { type: 'raw', lines: ['data: {"choices": [', ''] }, 'network'],
    ['a chunk of another shape', { type: 'raw', lines: ['data: {"choices": 7}', ''] }, 'network'],
    [
      'an error in the stream',
      { type: 'error-in-stream', text: 'half', error: { message: 'down', type: 'server_error' } },
      'server',
    ],
    [
      'a rate limit in the stream',
      { type: 'error-in-stream', error: { message: 'slow down', code: 429 } },
      'rate-limit',
    ],
  ])('%s as exactly one failure of its class', async (_name, reply, expected) => {
    const events = await call(reply);
    expect(events.filter((event) => event.type !== 'text')).toHaveLength(1);
    expect(failureOf(events)?.class).toBe(expected);
    expect(failureOf(events)?.message).toMatch(/^fake: \S/);
    expect(JSON.stringify(events)).not.toContain(KEY);
  });

  it('no tool call from a stream that was cut, since its arguments may be half', async () => {
    const events = await call({
      type: 'ends-early',
      calls: [{ name: 'a', arguments: { task: 'delete all' } }],
    });
    expect(events).toMatchObject([{ type: 'failure', failure: { class: 'network' } }]);
  });

  it.each([
    ['2', 2000],
    ['0.5', 500],
    [new Date(1_800_000_007_000).toUTCString(), 7000],
    ['soon', undefined],
  ])('a wait of "%s" as milliseconds', async (header, expected) => {
    const clock = createManualClock();
    const events = await call({ type: 'error', status: 429, headers: { 'retry-after': header } }, clock);
    expect(failureOf(events)?.retryAfterMs).toBe(expected);
  });

  it('nothing when nobody listens there: a network failure', async () => {
    await server.close();
    const events = await collect(modelsOn(realClock).stream(ask('fake/fake-model'), never()));
    expect(failureOf(events)).toMatchObject({ class: 'network' });
    expect(failureOf(events)?.message).toContain('ECONNREFUSED');
    server = await createFakeModelServer();
  });

  it.each<[string, Partial<ProviderSettings>]>([
    ['no address', {}],
    ['an address that is none', { baseUrl: 'not an address' }],
  ])('a permanent failure for %s', async (_name, settings) => {
    const provider: ProviderSettings = { api: 'openai-chat', ...settings };
    const models = createModels({
      providers: new Map([['odd', provider]]),
      clock: realClock,
      log: silentLog,
    });
    const events = await collect(models.stream(ask('odd/m'), never()));
    expect(failureOf(events)?.class).toBe('invalid-request');
  });
});

describe('an OpenAI-compatible server that hangs', () => {
  it('before its first byte is given up after 60 s, and not before', async () => {
    const clock = createManualClock();
    server.reply(() => ({ type: 'stall' }));
    const events = collect(modelsOn(clock).stream(ask('fake/fake-model'), never()));
    await server.waitForRequests(1);
    clock.advance(59_000);
    clock.advance(2_000);
    expect(failureOf(await events)?.class).toBe('timeout');
    await server.waitForHangUps(1);
    expect(clock.pending()).toBe(0);
  });

  it('in the middle is given up 60 s after the last byte', async () => {
    const clock = createManualClock();
    server.reply(() => ({ type: 'stall', text: 'half ' }));
    const events = await collect(modelsOn(clock).stream(ask('fake/fake-model'), never()), (event) => {
      if (event.type === 'text') setImmediate(() => clock.advance(60_000));
    });
    expect(textOf(events)).toBe('half ');
    expect(failureOf(events)?.class).toBe('timeout');
  });

  it('but sends comments to keep the connection alive is waited for', async () => {
    const clock = createManualClock();
    const chunk = { choices: [{ delta: { content: 'late' }, finish_reason: 'stop' }] };
    const lines = [': still here', ': still here', ': still here', `data: ${JSON.stringify(chunk)}`];
    const slowFetch: typeof fetch = async () => {
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          const line = lines.shift();
          if (line === undefined) return controller.close();
          clock.advance(40_000);
          controller.enqueue(new TextEncoder().encode(`${line}\n\n`));
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const models = createModels({
      providers: new Map([['slow', { api: 'openai-chat', baseUrl: server.baseUrl }]]),
      clock,
      log: silentLog,
      fetch: slowFetch,
    });
    const events = await collect(models.stream(ask('slow/m'), never()));
    expect(textOf(events)).toBe('late');
    expect(events.at(-1)?.type).toBe('finish');
  });

  it('is closed when the call is aborted', async () => {
    server.hold();
    const stop = new AbortController();
    const events = collect(modelsOn(realClock).stream(ask('fake/fake-model'), stop.signal));
    await server.waitForRequests(1);
    stop.abort();
    expect(failureOf(await events)?.class).toBe('aborted');
    await server.waitForHangUps(1);
  });

  it('is not waited for when even its fetch ignores the signal', async () => {
    const stop = new AbortController();
    const deafFetch: typeof fetch = () => {
      stop.abort();
      return new Promise(() => undefined);
    };
    const models = createModels({
      providers: new Map([['fake', { api: 'openai-chat', baseUrl: server.baseUrl }]]),
      clock: realClock,
      log: silentLog,
      fetch: deafFetch,
    });
    const events = await collect(models.stream(ask('fake/m'), stop.signal));
    expect(failureOf(events)?.class).toBe('aborted');
  });
});

describe('the default model', () => {
  const ollama = (baseUrl: string): Models =>
    createModels({
      providers: new Map([['ollama', { api: 'openai-chat', baseUrl }]]),
      defaultModel: 'ollama',
      clock: realClock,
      log: silentLog,
    });

  it('is the offline model when nothing is configured', async () => {
    const models = createModels({ providers: new Map(), clock: realClock, log: silentLog });
    expect(await models.defaultModel()).toMatchObject({ ref: 'offline/stand-in', isOffline: true });
  });

  it('is what is configured, without asking anybody', async () => {
    expect(await modelsOn(realClock).defaultModel()).toMatchObject({
      ref: 'fake/fake-model',
      isOffline: false,
    });
    expect(server.listings).toBe(0);
  });

  it.each(['', '/', '/v1', '/v1/'])(
    'is the first that Ollama has installed, at an address ending in "%s"',
    async (end) => {
      server.install(['llama3.2:latest', 'qwen3:4b']);
      const models = ollama(`${server.rootUrl}${end}`);
      expect(await models.defaultModel()).toMatchObject({ ref: 'ollama/llama3.2:latest', isOffline: false });
      expect(await models.defaultModel()).toMatchObject({ ref: 'ollama/llama3.2:latest', isOffline: false });
      expect(server.listings).toBe(1);
      const events = await collect(models.stream(ask('ollama/llama3.2:latest'), never()));
      expect(textOf(events)).toBe('ok');
    },
  );

  it('fails clearly while none is installed, and is asked for again', async () => {
    server.install([]);
    const models = ollama(server.rootUrl);
    await expect(models.defaultModel()).rejects.toMatchObject({
      code: 'model-unavailable',
      message: expect.stringContaining('has no model installed'),
    });
    server.install(['later']);
    expect((await models.defaultModel()).ref).toBe('ollama/later');
  });

  it('fails clearly when the server cannot be reached', async () => {
    const { rootUrl } = server;
    await server.close();
    await expect(ollama(rootUrl).defaultModel()).rejects.toMatchObject({
      code: 'model-unavailable',
      message: expect.stringMatching(/ollama at http.*ECONNREFUSED.*Is it running\?/),
    });
    server = await createFakeModelServer();
  });

  it('fails clearly when no provider serves it', async () => {
    const models = createModels({
      providers: new Map(),
      defaultModel: 'gone/model',
      clock: realClock,
      log: silentLog,
    });
    await expect(models.defaultModel()).rejects.toMatchObject({ code: 'config-invalid' });
  });
});
