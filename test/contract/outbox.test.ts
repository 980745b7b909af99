/** What the bot says arrives once, in order for each place, and what cannot arrive is kept where it can be seen. */
import { describe, expect, test } from 'vitest';
import type { RunId, SessionKey } from '../../src/core/ids.ts';
import { createManualClock, type ManualClock } from '../fakes/manual-clock.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';

const GENERAL = 'agent:main:memory:channel:general' as SessionKey;

interface Setup {
  readonly app: TestApp;
  readonly clock: ManualClock;
}

async function start(capabilities: Parameters<typeof startTestApp>[0] = {}): Promise<Setup> {
  const clock = createManualClock();
  const models = createScriptedModels(chatScript);
  const config = { messages: { queue: { mode: 'followup' } } };
  return { clock, app: await startTestApp({ clock, models, config, ...capabilities }) };
}

/** Time goes on until the texts of that place are as given. */
async function expectTexts({ app, clock }: Setup, texts: readonly string[], thread?: string): Promise<void> {
  await eventually(() => {
    clock.advance(250);
    return app.channel.texts(thread);
  }).toEqual(texts);
  expect(await app.read.operations.counts()).toMatchObject({ queued: 0 });
}

const failed = async ({ app }: Setup) =>
  (await app.read.operations.failed(50)).map(({ error }) => error?.code);

async function announceOf({ app }: Setup) {
  const [child] = await app.read.sessions.children(GENERAL);
  const [run] = child ? await app.read.runs.ofSession(child.key, 1) : [];
  return run && app.read.announces.get(run.id as RunId);
}

describe('order', () => {
  test('the parts of a long reply are sent one after the other, also when one has to be tried again', async () => {
    const setup = await start({ capabilities: { maxTextLength: 10 } });
    const { channel } = setup.app;
    channel.refuseNext('send', 'channel-unreachable');
    await channel.say('one two three four five six');
    await eventually(() => {
      setup.clock.advance(250);
      return channel.texts().join(' ').replace(/\s+/g, ' ');
    }).toBe('re: one two three four five six');
    expect(channel.texts().length).toBeGreaterThan(2);
  });

  test('L5: a failure that passes holds back what comes after it in the same place, and nothing elsewhere', async () => {
    const setup = await start();
    const { channel } = setup.app;
    channel.refuseNext('send', 'channel-unreachable');
    await channel.say('one');
    await eventually(async () => (await setup.app.read.operations.counts()).queued).toBe(1);
    await channel.say('two');
    const thread = channel.openPlainThread();
    await channel.say('elsewhere', { thread });
    await eventually(() => channel.texts(thread)).toEqual(['re: elsewhere']);
    expect(channel.texts()).toEqual([]);
    await expectTexts(setup, ['re: one', 're: two']);
  });

  test('L5: an outage of three minutes loses nothing and keeps the order', async () => {
    const setup = await start();
    const { channel } = setup.app;
    const send = channel.send;
    let isDown = true;
    let attempts = 0;
    channel.send = async (part) => {
      if (!isDown) return send(part);
      attempts++;
      channel.refuseNext('send', 'channel-unreachable');
      return send(part);
    };
    for (const text of ['one', 'two', 'three']) await channel.say(text);
    for (let at = 0; at < 180; at += 5) {
      setup.clock.advance(5_000);
      await setup.app.read.operations.counts();
    }
    isDown = false;
    await expectTexts(setup, ['re: one', 're: two', 're: three']);
    expect(await failed(setup)).toEqual([]);
    expect(attempts).toBeLessThan(12);
  });

  test('L5, L1: after half an hour it is given up, visibly, and the rest goes on', async () => {
    const setup = await start();
    const { channel } = setup.app;
    const send = channel.send;
    channel.send = (part) => {
      if (part.text === 're: one') channel.refuseNext('send', 'channel-unreachable');
      return send(part);
    };
    await channel.say('one');
    await channel.say('two');
    await eventually(async () => {
      setup.clock.advance(30_000);
      return failed(setup);
    }, 20_000).toEqual(['channel-unreachable']);
    await expectTexts(setup, ['re: two']);
    const [operation] = await setup.app.read.operations.failed(1);
    const lasted = operation!.endedAt! - operation!.createdAt;
    expect(lasted).toBeGreaterThanOrEqual(30 * 60_000);
    expect(lasted).toBeLessThan(32 * 60_000);
  });
});

describe('what will never arrive', () => {
  test('X8, L5: is tried once, kept with its reason, and holds up nobody, also after restarts', async () => {
    const setup = await start();
    const { app, clock } = setup;
    const thread = app.channel.openPlainThread();
    for (let i = 0; i < 10; i++) app.channel.refuseNext('send', 'channel-permission-denied');
    for (let i = 0; i < 10; i++) await app.channel.say(`bad ${i}`, { thread });
    await eventually(async () => (await app.read.operations.counts()).failed).toBe(10);
    for (let i = 0; i < 3; i++) await app.channel.say(`good ${i}`);
    await expectTexts(setup, ['re: good 0', 're: good 1', 're: good 2']);
    expect(new Set(await failed(setup))).toEqual(new Set(['channel-permission-denied']));
    let last = app;
    for (let restart = 0; restart < 2; restart++) {
      await last.stop();
      last = await startTestApp({ clock, after: last });
      expect(await last.read.operations.counts()).toMatchObject({ queued: 0, failed: 10 });
    }
    expect(app.channel.texts(thread)).toEqual([]);
  });

  test('L1: an announcement that is refused for good is recorded as undelivered, with its words', async () => {
    const setup = await start();
    const { channel } = setup.app;
    await channel.say('spawn slow child');
    await expectTexts(setup, ['started']);
    channel.refuseNext('send', 'channel-permission-denied');
    setup.app.models.release(setup.app.models.held()[0]!, 'CHILD-RESULT');
    await eventually(async () => (await announceOf(setup))?.status).toBe('undelivered');
    const [operation] = await setup.app.read.operations.failed(1);
    expect(operation?.call).toMatchObject({ kind: 'send', text: 'heard of slow child' });
  });

  test('L1: an announcement that fails twice and then passes is delivered once', async () => {
    const setup = await start();
    const { channel } = setup.app;
    await channel.say('spawn slow child');
    await expectTexts(setup, ['started']);
    channel.refuseNext('send', 'channel-unreachable');
    channel.refuseNext('send', 'channel-unreachable');
    setup.app.models.release(setup.app.models.held()[0]!, 'CHILD-RESULT');
    await expectTexts(setup, ['started', 'heard of slow child']);
    await eventually(async () => (await announceOf(setup))?.status).toBe('delivered');
  });

  test('a reply to a thread that is gone is never posted elsewhere', async () => {
    const setup = await start();
    const { channel } = setup.app;
    const thread = channel.openPlainThread();
    await channel.say('slow question', { thread });
    await eventually(() => setup.app.models.held().length).toBe(1);
    channel.loseThread(thread);
    setup.app.models.release(setup.app.models.held()[0]!, 'the answer');
    await eventually(async () => (await setup.app.read.operations.counts()).failed).toBe(1);
    expect(channel.messages).toEqual([]);
  });
});

describe('an answer that was lost on the way', () => {
  test('D7: a message that was posted is not posted again', async () => {
    const setup = await start();
    setup.app.channel.loseAnswerOf('send');
    await setup.app.channel.say('one');
    await setup.app.channel.say('two');
    await expectTexts(setup, ['re: one', 're: two']);
  });

  test('D8: a thread that was opened is found again: one thread, bound, with one answer', async () => {
    const setup = await start();
    const { channel } = setup.app;
    channel.loseAnswerOf('openThread');
    await channel.say('spawn thread quick');
    await eventually(() => {
      setup.clock.advance(250);
      return channel.threads.length === 1 && channel.texts(channel.threads[0]!.id).includes('re: quick');
    }).toBe(true);
    await eventually(async () => (await setup.app.read.operations.counts()).queued).toBe(0);
    expect(channel.threads).toHaveLength(1);
    expect(channel.texts(channel.threads[0]!.id).filter((text) => text === 're: quick')).toHaveLength(1);
    expect(channel.messages.filter(({ card }) => card)).toHaveLength(1);
  });

  test('D7, D8: the card that a thread hangs on is not posted twice either', async () => {
    const setup = await start();
    const { channel } = setup.app;
    channel.loseAnswerOf('send');
    channel.loseAnswerOf('openThread');
    channel.loseAnswerOf('edit');
    await channel.say('spawn thread quick');
    await eventually(() => {
      setup.clock.advance(250);
      return channel.threads.length === 1 && channel.texts(channel.threads[0]!.id).includes('re: quick');
    }).toBe(true);
    await eventually(async () => {
      setup.clock.advance(250);
      return (await setup.app.read.operations.counts()).queued;
    }).toBe(0);
    expect(channel.messages.filter(({ card }) => card)).toHaveLength(1);
    expect(channel.threads).toHaveLength(1);
  });
});
