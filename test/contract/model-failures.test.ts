/** A model that fails, from its provider's answer to the words in the chat: what is tried again, and what people are told. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { createModels } from '../../adapters/models/index.ts';
import type { SessionKey } from '../../src/core/ids.ts';
import { createManualClock, type ManualClock } from '../fakes/manual-clock.ts';
import { createFakeModelServer, type FakeModelServer, type FakeReply } from '../fakes/model-server.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/silent-log.ts';

const GENERAL = 'agent:main:memory:channel:general' as SessionKey;
const KEY = 'sk-test-0123456789abcdef';

interface Setup {
  readonly app: TestApp;
  readonly clock: ManualClock;
  readonly server: FakeModelServer;
}

/** Answers in this order, then `ok`. */
async function start(...replies: FakeReply[]): Promise<Setup> {
  const server = await createFakeModelServer();
  onTestFinished(() => server.close());
  server.reply(() => replies.shift() ?? { type: 'text', text: 'ok' });
  const clock = createManualClock();
  const models = createModels({
    providers: new Map([['fake', { api: 'openai-chat', baseUrl: server.baseUrl, apiKey: KEY }]]),
    defaultModel: 'fake/fake-model',
    clock,
    log: silentLog,
  });
  const app = await startTestApp({ clock, models: { ...createScriptedModels(() => ''), ...models } });
  return { app, clock, server };
}

const status = async ({ app }: Setup) => (await app.read.runs.ofSession(GENERAL, 1))[0]?.status;

/** The run has been put off; resolves with how long it waits. */
async function putOffFor({ app, clock }: Setup, attempt: number): Promise<number> {
  const run = async () => (await app.read.runs.ofSession(GENERAL, 1))[0];
  await eventually(async () => {
    const { status: now, attempt: tries, notBefore } = (await run())!;
    return now === 'queued' && tries === attempt && notBefore !== undefined;
  }).toBe(true);
  return (await run())!.notBefore! - clock.now();
}

describe('what may pass is tried again', () => {
  test.each<[string, FakeReply]>([
    ['500', { type: 'error', status: 500 }],
    ['503', { type: 'error', status: 503 }],
    ['a stream cut before its first byte', { type: 'cut' }],
    ['a stream cut half-way', { type: 'cut', text: 'half a sentence' }],
    ['a stream that ends early', { type: 'ends-early', text: 'half a sentence' }],
    [
      'a tool call cut half-way',
      { type: 'cut', calls: [{ name: 'sessions_spawn', arguments: { task: 'x' } }] },
    ],
  ])(
    '%s: after 1 s and 4 s, by one request each time, and nothing half is ever said or stored',
    async (_, reply) => {
      const setup = await start(reply, reply);
      const { app, clock, server } = setup;
      await app.channel.say('hello');
      expect(await putOffFor(setup, 1)).toBe(1_000);
      clock.advance(999);
      expect(server.requests).toHaveLength(1);
      await eventually(() => {
        clock.advance(500);
        return server.requests.length;
      }).toBe(2);
      expect(await putOffFor(setup, 2)).toBeLessThanOrEqual(4_000);
      await eventually(() => {
        clock.advance(500);
        return app.channel.texts();
      }).toEqual(['ok']);
      expect(server.requests).toHaveLength(3);
      expect(server.violations).toEqual([]);
      const entries = await app.read.entries.tail(GENERAL, 10);
      expect(entries.map(({ content }) => content.role)).toEqual(['user', 'assistant']);
      expect(await app.read.sessions.children(GENERAL)).toEqual([]);
    },
  );

  test('Retry-After is honoured', async () => {
    const setup = await start({ type: 'error', status: 429, headers: { 'retry-after': '90' } });
    const { app, clock, server } = setup;
    await app.channel.say('hello');
    expect(await putOffFor(setup, 1)).toBe(90_000);
    clock.advance(89_000);
    await app.read.runs.allActive(10);
    expect(server.requests).toHaveLength(1);
    await eventually(() => {
      clock.advance(500);
      return app.channel.texts();
    }).toEqual(['ok']);
  });

  test('a stream that stalls is given up after a minute and tried again', async () => {
    const setup = await start({ type: 'stall', text: 'half' });
    const { app, clock, server } = setup;
    await app.channel.say('hello');
    await server.waitForRequests(1);
    await eventually(async () => {
      clock.advance(5_000);
      return (
        (await app.read.runs.ofSession(GENERAL, 1))[0]?.attempt === 1 && (await status(setup)) === 'queued'
      );
    }).toBe(true);
    await eventually(() => {
      clock.advance(500);
      return app.channel.texts();
    }).toEqual(['ok']);
  });

  test('after three attempts it ends, with what to do', async () => {
    const down: FakeReply = { type: 'error', status: 503 };
    const setup = await start(down, down, down);
    await setup.app.channel.say('hello');
    await eventually(() => {
      setup.clock.advance(500);
      return setup.app.channel.texts();
    }).toEqual([
      'I could not answer this. The model provider is overloaded. Please try again in a little while.',
    ]);
    expect(setup.server.requests).toHaveLength(3);
    expect(await status(setup)).toBe('failed');
  });

  test('a step that was recorded gives the next one three attempts of its own', async () => {
    const down: FakeReply = { type: 'error', status: 503 };
    const call: FakeReply = { type: 'tool-calls', calls: [{ name: 'nothing', arguments: {} }] };
    const setup = await start(down, down, call, down, down);
    await setup.app.channel.say('hello');
    await eventually(() => {
      setup.clock.advance(500);
      return setup.app.channel.texts();
    }).toEqual(['ok']);
    expect(setup.server.requests).toHaveLength(6);
  });

  test('it can be stopped while it waits for its next attempt', async () => {
    const setup = await start({ type: 'error', status: 429, headers: { 'retry-after': '3600' } });
    await setup.app.channel.say('hello');
    await putOffFor(setup, 1);
    expect((await setup.app.channel.say('/stop')).replies[0]).toContain('Stopped');
    expect(await status(setup)).toBe('cancelled');
  });
});

test('a local model server that is not running is named as such, and asked again at the next message', async () => {
  const server = await createFakeModelServer();
  const { baseUrl } = server;
  await server.close();
  const clock = createManualClock();
  const models = createModels({
    providers: new Map([['ollama', { api: 'openai-chat', baseUrl }]]),
    defaultModel: 'ollama',
    clock,
    log: silentLog,
  });
  const app = await startTestApp({ clock, models: { ...createScriptedModels(() => ''), ...models } });
  for (const count of [1, 2]) {
    await app.channel.say('hello');
    await eventually(() => app.channel.texts()).toHaveLength(count);
    expect(app.channel.texts().at(-1)).toMatch(
      /^I could not answer this\. There is no model to ask: its server is/,
    );
  }
});

describe('what will not pass ends at once, with what to do', () => {
  test.each<[string, FakeReply, RegExp]>([
    ['401', { type: 'error', status: 401, body: { error: { message: `bad key ${KEY}` } } }, /check it/],
    ['402', { type: 'error', status: 402 }, /add some or choose another model/],
    [
      '429 with insufficient_quota',
      {
        type: 'error',
        status: 429,
        headers: { 'retry-after': '1' },
        body: { error: { message: 'no', code: 'insufficient_quota' } },
      },
      /add some or choose another model/,
    ],
    [
      '404',
      { type: 'error', status: 404, body: { error: { message: 'no such model' } } },
      /choose another one/,
    ],
    [
      'a prompt that is too long',
      { type: 'error', status: 400, body: { error: { message: 'no', code: 'context_length_exceeded' } } },
      /new thread/,
    ],
    ['400', { type: 'error', status: 400 }, /The log of the bot says why/],
  ])('U3: %s', async (_, reply, words) => {
    const setup = await start(reply);
    await setup.app.channel.say('hello');
    await eventually(() => setup.app.channel.texts().length).toBe(1);
    expect(setup.app.channel.texts()[0]).toMatch(words);
    expect(setup.app.channel.texts()[0]).not.toContain(KEY);
    expect(await status(setup)).toBe('failed');
    setup.clock.advance(120_000);
    await setup.app.channel.say('again');
    await eventually(() => setup.app.channel.texts().length).toBe(2);
    expect(setup.app.channel.texts()[1]).toBe('ok');
    expect(setup.server.requests).toHaveLength(2);
  });
});

describe('tool calls that make no sense are answered, and the model goes on', () => {
  test.each<[string, { name: string; arguments: unknown }, RegExp]>([
    ['malformed arguments', { name: 'sessions_spawn', arguments: '{"task": "x' }, /invalid arguments/],
    ['arguments of the wrong shape', { name: 'sessions_spawn', arguments: { task: 7 } }, /task/],
    ['an unknown tool', { name: 'make_coffee', arguments: {} }, /there is no tool/],
  ])('%s', async (_, call, words) => {
    const setup = await start({ type: 'tool-calls', calls: [call] });
    await setup.app.channel.say('hello');
    await eventually(() => setup.app.channel.texts()).toEqual(['ok']);
    const last = setup.server.requests.at(-1)!.body.messages.at(-1)!;
    expect(last.role).toBe('tool');
    expect(String(last.content)).toMatch(words);
    expect(setup.server.violations).toEqual([]);
    expect(await setup.app.read.sessions.children(GENERAL)).toEqual([]);
  });
});
