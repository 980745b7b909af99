/** Messages that come while a session is at work: which answer takes them in, in which order, and that none is ever lost. */
import { describe, expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import type { ModelRequest } from '../../src/ports/model.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createScriptedModels, type Script } from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp, type TestAppParts } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';

const sessionOf = (conversation = 'general') => `agent:main:memory:channel:${conversation}` as SessionKey;

const start = (queue: Record<string, unknown> = {}, parts: TestAppParts = {}, script: Script = chatScript) =>
  startTestApp({
    models: createScriptedModels(script),
    ...parts,
    config: { messages: { queue: { debounceMs: 0, ...queue } }, ...parts.config },
  });

const heldCount = ({ models }: TestApp) => models.held().length;

/** A call is open, and the session at work. */
async function makeBusy(app: TestApp, conversation?: string): Promise<void> {
  const before = heldCount(app);
  await app.channel.say('slow question', conversation === undefined ? {} : { conversation });
  await eventually(() => heldCount(app)).toBe(before + 1);
}

const letGo = ({ models }: TestApp, reply: Parameters<TestApp['models']['release']>[1] = 'answer') =>
  models.release(models.held()[0]!, reply);

/** What people have written, in the order in which the model is shown it. */
const userTexts = (request: ModelRequest) =>
  request.messages.flatMap((message) => (message.role === 'user' ? [message.text] : []));

const statuses = async ({ read }: TestApp, conversation?: string) =>
  (await read.runs.ofSession(sessionOf(conversation), 50)).map(({ status }) => status).reverse();

describe('steer', () => {
  test('LANE-07: a message joins the answer under way at its next step; what was complete before it opens the one reply', async () => {
    const app = await start();
    const first = await app.channel.say('slow question');
    await eventually(() => heldCount(app)).toBe(1);
    const second = await app.channel.say('one more thing');
    expect(second.receipt).toEqual(first.receipt);
    letGo(app, 'the first answer');
    await eventually(() => app.channel.texts()).toEqual(['the first answer\n\nre: one more thing']);
    expect(await statuses(app)).toEqual(['succeeded']);
    expect(app.models.calls).toHaveLength(2);
  });

  test('LANE-07: it joins behind the results of tools, whose step has no reply of its own', async () => {
    const app = await start();
    await makeBusy(app);
    await app.channel.say('one more thing');
    letGo(app, { text: 'looking', calls: [{ name: 'sessions_spawn', arguments: { task: 'slow x' } }] });
    await eventually(() => app.channel.texts()).toEqual(['re: one more thing']);
    expect(app.models.calls.at(-1)!.request.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
    ]);
  });

  test('LANE-07: a reply that asked for silence opens nothing', async () => {
    const app = await start();
    await makeBusy(app);
    await app.channel.say('one more thing');
    letGo(app, 'NO_REPLY');
    await eventually(() => app.channel.texts()).toEqual(['re: one more thing']);
  });

  test('LANE-07: with no run at work it begins one at once, whatever the debounce', async () => {
    const app = await start({ debounceMs: 60_000 });
    await app.channel.say('hello');
    await eventually(() => app.channel.texts()).toEqual(['re: hello']);
  });

  test('R6: a message in another thread of the channel is answered there, never merged', async () => {
    const app = await start();
    const thread = app.channel.openPlainThread();
    await makeBusy(app);
    await app.channel.say('over here', { thread });
    await eventually(() => app.channel.texts(thread)).toEqual(['re: over here']);
    letGo(app);
    await eventually(() => app.channel.texts()).toEqual(['answer']);
  });
});

describe('followup', () => {
  test('LANE-07: each message gets an answer of its own, in order', async () => {
    const app = await start({ mode: 'followup' });
    await makeBusy(app);
    for (const text of ['two', 'three', 'four']) await app.channel.say(text);
    letGo(app, 'one');
    await eventually(() => app.channel.texts()).toEqual(['one', 're: two', 're: three', 're: four']);
    expect(await statuses(app)).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded']);
  });
});

describe('collect', () => {
  test('LANE-07: what comes meanwhile is answered together afterwards, each text whole', async () => {
    const app = await start({ mode: 'collect' });
    await makeBusy(app);
    await app.channel.say('two');
    await app.channel.say('three');
    letGo(app, 'one');
    await eventually(() => app.channel.texts()).toEqual(['one', 're: three']);
    expect(userTexts(app.models.calls.at(-1)!.request)).toEqual(['slow question', 'two', 'three']);
  });

  test('LANE-07: it waits 500 ms for more after each message behind a run, and not a moment without one', async () => {
    const clock = createManualClock();
    const app = await start({ mode: 'collect', debounceMs: 500 }, { clock });
    await makeBusy(app);
    await app.channel.say('two');
    clock.advance(400);
    await app.channel.say('three');
    letGo(app, 'one');
    await eventually(() => app.channel.texts()).toEqual(['one']);
    clock.advance(499);
    expect(await app.read.runs.claimable('main', clock.now(), 10)).toEqual([]);
    clock.advance(1);
    expect(await app.read.runs.claimable('main', clock.now(), 10)).toEqual([sessionOf()]);
    await eventually(() => {
      clock.advance(500);
      return app.channel.texts();
    }).toEqual(['one', 're: three']);
    await app.channel.say('four');
    await eventually(() => app.channel.texts().at(-1)).toBe('re: four');
  });
});

describe('interrupt', () => {
  test('LANE-07: the answer under way is stopped and never said, and the new message is answered', async () => {
    const app = await start({ mode: 'interrupt' });
    await makeBusy(app);
    await app.channel.say('rather this');
    await eventually(() => app.channel.texts()).toEqual(['re: rather this']);
    expect(app.models.calls[0]!.state).toBe('aborted');
    expect(await statuses(app)).toEqual(['cancelled', 'succeeded']);
  });

  test('LANE-07, O1: what had joined the stopped answer is taken in by the new one, before the newer message', async () => {
    const app = await start({ mode: 'interrupt' });
    await makeBusy(app);
    await app.channel.say('/steer and this too');
    await app.channel.say('rather this');
    await eventually(() => app.channel.texts()).toEqual(['re: rather this']);
    expect(userTexts(app.models.calls.at(-1)!.request).slice(-2)).toEqual(['and this too', 'rather this']);
  });
});

describe('L7: a full queue loses nothing without a word', () => {
  const numbers = Array.from({ length: 25 }, (_, i) => `message number ${i + 1}`);

  /** 25 messages behind a run at work; returns what their senders were told at once. */
  async function flood(app: TestApp): Promise<readonly (readonly string[])[]> {
    await makeBusy(app);
    const told: (readonly string[])[] = [];
    for (const text of numbers) told.push((await app.channel.say(text)).replies);
    return told;
  }

  const prompt = (app: TestApp) => userTexts(app.models.calls.at(-1)!.request).join('\n');

  test.each(['steer', 'collect'])(
    'LANE-07: "summarize" (%s) keeps the words of all 25 in order, and says once that the oldest are shortened',
    async (mode) => {
      const app = await start({ mode });
      const told = await flood(app);
      expect(told.flat()).toEqual([
        'More than 20 messages are waiting here. The oldest ones are shortened to one line each.',
      ]);
      letGo(app);
      await eventually(() => app.channel.texts().join()).toContain('re: message number 25');
      const positions = numbers.map((text) => prompt(app).search(new RegExp(`${text}$`, 'm')));
      expect(positions).not.toContain(-1);
      expect(positions).toEqual([...positions].sort((a, b) => a - b));
      expect(userTexts(app.models.calls.at(-1)!.request)).toHaveLength(1 + 20);
    },
  );

  test('LANE-07: "summarize" with each message in a run of its own leaves no run without words', async () => {
    const app = await start({ mode: 'followup' });
    await flood(app);
    letGo(app);
    await eventually(() => app.channel.texts().at(-1)).toBe('re: message number 25');
    const all = prompt(app);
    for (const text of numbers) expect(all).toMatch(new RegExp(`${text}$`, 'm'));
    expect(app.channel.texts()).toHaveLength(1 + 20);
    expect(app.channel.texts().join()).not.toContain('(no output)');
    await eventually(() => app.read.runs.active(sessionOf())).toEqual([]);
  });

  test.each(['steer', 'followup'])('LANE-07: "old" (%s) names each message that gave way', async (mode) => {
    const app = await start({ mode, drop: 'old' });
    const told = await flood(app);
    expect(told.slice(0, 20).flat()).toEqual([]);
    expect(told.slice(20).flat()).toEqual(
      numbers
        .slice(0, 5)
        .map((text) => `Too many messages are waiting here. The oldest one was removed: "${text}"`),
    );
    letGo(app);
    await eventually(() => app.channel.texts().join()).toContain('re: message number 25');
    expect(userTexts(app.models.calls.at(-1)!.request)).toEqual(['slow question', ...numbers.slice(5)]);
    await eventually(() => app.read.runs.active(sessionOf())).toEqual([]);
    expect(app.channel.texts().join()).not.toContain('(no output)');
  });

  test('LANE-07: "new" refuses the newest, tells its sender, and takes it when it is sent again', async () => {
    const app = await start({ drop: 'new' });
    const told = await flood(app);
    expect(told.slice(0, 20).flat()).toEqual([]);
    for (const replies of told.slice(20)) {
      expect(replies).toEqual([
        '20 messages are waiting here already, so this one was not taken. Please send it again later.',
      ]);
    }
    letGo(app);
    await eventually(() => app.channel.texts().join()).toContain('re: message number 20');
    await app.channel.say(numbers[20]!);
    await eventually(() => app.channel.texts().join()).toContain('re: message number 21');
  });

  test('LANE-07: the cap counts people’s messages of one session only', async () => {
    const app = await start({ cap: 2, drop: 'new' });
    await makeBusy(app);
    await app.channel.say('one');
    await app.channel.say('two');
    const elsewhere = await app.channel.say('slow elsewhere', { conversation: 'other' });
    expect(elsewhere.receipt.status).toBe('admitted');
    expect((await app.channel.say('three')).receipt).toEqual({ status: 'dropped', reason: 'queue-full' });
  });
});

describe('which mode', () => {
  const onDiscord = { channelName: 'discord', config: { channels: { discord: { groupPolicy: 'open' } } } };

  test('LANE-07: messages.queue.byChannel decides before messages.queue.mode', async () => {
    const app = await start(
      { mode: 'steer', byChannel: { discord: 'followup', slack: 'interrupt' } },
      onDiscord,
    );
    await makeBusy(app);
    await app.channel.say('two');
    letGo(app, 'one');
    await eventually(() => app.channel.texts()).toEqual(['one', 're: two']);
  });

  test('CMD-23: /queue sets it for this session alone, until it is set back', async () => {
    const app = await start();
    const said = async (text: string, conversation = 'general') =>
      (await app.channel.say(text, { conversation })).replies[0];
    expect(await said('/queue')).toContain('Queue mode: steer');
    expect(await said('/queue followup')).toContain('Queue mode: followup');
    expect(await said('/queue', 'other')).toContain('Queue mode: steer');
    await makeBusy(app);
    await app.channel.say('two');
    letGo(app, 'one');
    await eventually(() => app.channel.texts()).toEqual(['one', 're: two']);
    expect(await said('/queue default')).toContain('Queue mode: steer');
    await makeBusy(app);
    await app.channel.say('four');
    letGo(app, 'three');
    await eventually(() => app.channel.texts().at(-1)).toBe('three\n\nre: four');
    expect(await said('/queue sideways')).toMatch(/steer.*followup.*collect.*interrupt/);
  });
});

describe('/steer and /tell', () => {
  test.each(['steer', 'tell'])('C8: /%s joins the answer under way in any queue mode', async (name) => {
    const app = await start({ mode: 'followup' });
    await makeBusy(app);
    const { replies } = await app.channel.say(`/${name} be brief`);
    expect(replies).toEqual(['Passed on to the answer that is being worked out.']);
    letGo(app, 'one');
    await eventually(() => app.channel.texts()).toEqual(['one\n\nre: be brief']);
  });

  test.each([
    ['quotes', 'say "hello" to \'them\''],
    ['lines', 'first line\nsecond line\n\n- third'],
    ['a leading dash', '--model is not an option here'],
    ['4000 characters', 'x'.repeat(4000)],
  ])('C8: with nothing at work its text (%s) is the next message, byte for byte', async (_, text) => {
    const app = await start();
    const { replies } = await app.channel.say(`/steer ${text}`);
    expect(replies).toEqual(['Nothing was at work, so this is answered now.']);
    await eventually(() => app.models.calls.length).toBe(1);
    expect(userTexts(app.models.calls[0]!.request)).toEqual([text]);
  });

  test('C8: without a text it says how it is used', async () => {
    const app = await start();
    expect((await app.channel.say('/steer')).replies[0]).toContain('/steer <message>');
  });
});

describe('U2: a message that waits is shown to wait', () => {
  const modes = ['steer', 'followup', 'collect'];
  const signs = ({ channel }: TestApp) => channel.waiting.size;

  async function withThreeWaiting(mode: string): Promise<TestApp> {
    const app = await start({ mode, cap: 3 });
    await makeBusy(app);
    expect(signs(app)).toBe(0);
    for (const text of ['two', 'three', 'four']) await app.channel.say(text);
    await eventually(() => signs(app)).toBe(3);
    return app;
  }

  test.each(modes)('until it is taken in (%s)', async (mode) => {
    const app = await withThreeWaiting(mode);
    letGo(app);
    await eventually(() => signs(app)).toBe(0);
    await eventually(() => app.channel.texts().at(-1)).toContain('re: four');
  });

  test.each(modes)('until it is taken in after the run before it failed (%s)', async (mode) => {
    const app = await withThreeWaiting(mode);
    letGo(app, { failure: { class: 'auth', message: 'no' } });
    await eventually(() => signs(app)).toBe(0);
    await eventually(() => app.channel.texts().at(-1)).toContain('re: four');
  });

  test.each(modes)('until it is removed by /stop (%s)', async (mode) => {
    const app = await withThreeWaiting(mode);
    await app.channel.say('/stop');
    await eventually(() => signs(app)).toBe(0);
  });

  test.each(modes)('until it gives way to newer ones (%s)', async (mode) => {
    const app = await withThreeWaiting(mode);
    for (const text of ['five', 'six']) await app.channel.say(text);
    await eventually(() => signs(app)).toBeLessThanOrEqual(3);
    letGo(app);
    await eventually(() => signs(app)).toBe(0);
    await eventually(() => app.read.runs.active(sessionOf())).toEqual([]);
  });
});

test('O1: of two messages around the end of an answer the earlier is taken in first, and each once, in 200 repetitions', async () => {
  const repetitions = Array.from({ length: 200 }, (_, i) => `room${i}`);
  const app = await start({}, { config: { agents: { defaults: { maxConcurrent: 500 } } } });
  await Promise.all(repetitions.map((conversation) => app.channel.say('slow question', { conversation })));
  await eventually(() => heldCount(app)).toBe(repetitions.length);
  const turns = async (count: number) => {
    for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
  };
  const held = new Map(
    app.models.held().map((call) => [call.request.system.match(/room\d+/)?.[0] ?? '', call] as const),
  );
  expect(held.size).toBe(repetitions.length);
  await Promise.all(
    repetitions.map(async (conversation, i) => {
      // Spread by a fixed pattern, so that a failure can be repeated.
      const release = turns((i * 7) % 13).then(() => app.models.release(held.get(conversation)!, 'one'));
      await turns((i * 5) % 11);
      const first = app.channel.say('A', { conversation });
      await turns((i * 3) % 7);
      await first;
      await app.channel.say('B', { conversation });
      await release;
    }),
  );
  for (const conversation of repetitions) {
    await eventually(() => app.read.runs.active(sessionOf(conversation))).toEqual([]);
    const entries = await app.read.entries.tail(sessionOf(conversation), 50);
    const texts = entries.flatMap(({ content }) => (content.role === 'user' ? [content.text] : []));
    expect(texts).toEqual(['slow question', 'A', 'B']);
  }
});

describe('O2: completions and messages keep their order', () => {
  test.each([
    ['answers', 'one'],
    ['fails', { failure: { class: 'auth', message: 'no' } }],
  ] as const)('when each has a turn of its own, and the run before them %s', async (_, end) => {
    const app = await start({ mode: 'followup' });
    await app.channel.say('spawn slow child');
    await eventually(() => app.channel.texts()).toEqual(['started']);
    await eventually(() => heldCount(app)).toBe(1);
    const child = app.models.held()[0]!;
    await app.channel.say('slow question');
    await eventually(() => heldCount(app)).toBe(2);
    const parent = app.models.held().find((call) => call !== child)!;
    await app.channel.say('U1');
    app.models.release(child, 'found it');
    await eventually(async () => (await app.read.runs.active(sessionOf())).map((run) => run.trigger)).toEqual(
      ['message', 'message', 'completion'],
    );
    await app.channel.say('U2');
    app.models.release(parent, end);
    await eventually(() => app.channel.texts().slice(2)).toEqual(['re: U1', 'heard of slow child', 're: U2']);
    expect(await app.read.runs.active(sessionOf())).toEqual([]);
  });

  test('a completion waits for the answer under way and is told even when people go on writing', async () => {
    const app = await start();
    await app.channel.say('spawn slow child');
    await eventually(() => heldCount(app)).toBe(1);
    const child = app.models.held()[0]!;
    await eventually(() => app.channel.texts()).toEqual(['started']);
    await makeBusy(app);
    app.models.release(child, 'found it');
    await eventually(async () => (await app.read.runs.active(sessionOf())).length).toBe(2);
    await app.channel.say('U1');
    await app.channel.say('U2');
    letGo(app, 'one');
    await eventually(() => app.channel.texts().slice(1)).toEqual(['one\n\nre: U2', 'heard of slow child']);
  });
});

describe('O9: whatever ends a run, the message that waits is answered next', () => {
  describe.each(['steer', 'followup', 'collect'])('%s', (mode) => {
    test.each([
      ['a permanent failure', { failure: { class: 'auth', message: 'no' } }],
      ['a refused request', { failure: { class: 'invalid-request', message: 'no' } }],
    ] as const)('%s', async (_, end) => {
      const app = await start({ mode });
      await makeBusy(app);
      await app.channel.say('next');
      letGo(app, end);
      await eventually(() => app.channel.texts().at(-1)).toBe('re: next');
      expect(app.channel.texts()).toHaveLength(2);
      expect(await statuses(app)).toEqual(['failed', 'succeeded']);
    });

    test('an exception', async () => {
      const app = await start({ mode });
      await makeBusy(app);
      await app.channel.say('next');
      letGo(app, {
        get calls(): never {
          throw new Error('a fault in the adapter');
        },
      });
      await eventually(() => app.channel.texts().at(-1)).toBe('re: next');
      expect(await statuses(app)).toEqual(['failed', 'succeeded']);
    });

    test('a model that fails three times', async () => {
      const clock = createManualClock();
      const app = await start({ mode }, { clock });
      await app.channel.say('slow question');
      for (let attempt = 1; attempt <= 3; attempt++) {
        await eventually(() => {
          clock.advance(500);
          return heldCount(app);
        }).toBe(1);
        if (attempt === 3) await app.channel.say('next');
        letGo(app, { failure: { class: 'server', message: '500' } });
      }
      await eventually(() => app.channel.texts().at(-1)).toBe('re: next');
      expect(app.channel.texts()[0]).toContain('The model provider had an error of its own');
      expect(await app.read.runs.active(sessionOf())).toEqual([]);
    });

    test('a hard timeout', async () => {
      const clock = createManualClock();
      const app = await start({ mode }, { clock });
      await app.app.runTool('sessions_spawn', await mainSession(app), {
        task: 'slow child',
        thread: true,
        runTimeoutSeconds: 60,
      });
      await eventually(() => heldCount(app)).toBe(1);
      const thread = app.channel.threads[0]!.id;
      await app.channel.say('next', { thread });
      clock.advance(60_000);
      await eventually(() => {
        clock.advance(500);
        return app.channel.texts(thread).at(-1);
      }).toBe('re: next');
      expect(app.channel.texts(thread).join('\n')).toContain('It ran out of time and was stopped.');
    });

    test('/stop, which says that it removed what waited', async () => {
      const app = await start({ mode });
      await makeBusy(app);
      await app.channel.say('next');
      expect((await app.channel.say('/stop')).replies).toEqual([
        'Stopped the answer that was being worked out. 1 waiting message was removed.',
      ]);
      await app.channel.say('after');
      await eventually(() => app.channel.texts()).toEqual(['re: after']);
      expect(userTexts(app.models.calls.at(-1)!.request)).not.toContain('next');
    });
  });

  /** The session of a channel that somebody has spoken in. */
  async function mainSession(app: TestApp): Promise<SessionKey> {
    await app.channel.say('hello');
    await eventually(() => app.channel.texts()).toEqual(['re: hello']);
    return sessionOf();
  }
});
