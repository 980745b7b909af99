/** A place that cannot be had or cannot be reached any more: nothing is posted elsewhere instead, and somebody is told. */
import { expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { startTestApp } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';
import { createRecordingLog } from '../support/recording-log.ts';

const GENERAL = 'agent:main:memory:channel:general' as SessionKey;

const start = (parts: Parameters<typeof startTestApp>[0] = {}) =>
  startTestApp({ models: createScriptedModels(chatScript), ...parts });

test('SPAWN-38, E-3: a thread that cannot be opened undoes the spawn, and both requester and origin hear of it', async () => {
  const app = await start();
  app.channel.refuseNext('openThread', 'channel-permission-denied');
  await app.channel.say('spawn thread digger');
  await eventually(() => app.channel.texts()).toContain('started');
  await eventually(() => app.channel.texts().filter((text) => text.includes('could not start'))).toHaveLength(
    1,
  );
  expect(await app.read.sessions.children(GENERAL)).toEqual([]);
  expect(app.channel.threads).toEqual([]);
  expect(app.channel.messages.find(({ card }) => card)?.card?.state).toBe('failed');
  expect(await app.read.inputs.unassigned(GENERAL)).toMatchObject([
    { text: expect.stringContaining('status: error') },
  ]);
  await app.channel.say('hello');
  await eventually(() => app.channel.texts()).toContain('re: hello');
});

const HINT = 'I need “Create Public Threads” in #general.';

test('SPAWN-38: whoever asks for a thread is not told that it is open before it is', async () => {
  const app = await start();
  app.channel.refuseNext('openThread', 'channel-permission-denied');
  await app.channel.say('spawn thread digger');
  await eventually(() => app.channel.texts()).toContain('started');
  const answers = app.models.calls.flatMap(({ request }) =>
    request.messages.filter(({ role }) => role === 'tool').map((message) => JSON.stringify(message)),
  );
  expect(answers).toEqual([expect.stringContaining('A thread is being opened for it')]);
  expect(answers[0]).toContain('do not say that it is open');
});

test.each(['openThread', 'send'] as const)(
  'what a platform refuses for good (%s) is logged once, as a warning',
  async (call) => {
    const { log, lines } = createRecordingLog();
    const app = await start({ log });
    app.channel.refuseNext(call, 'channel-permission-denied', HINT);
    await app.channel.say('spawn thread digger');
    await eventually(() => app.channel.texts().join()).toContain('could not start');
    expect(lines.filter(({ message }) => message.startsWith('a platform call'))).toEqual([
      {
        level: 'warn',
        message: 'a platform call was given up',
        fields: {
          operation: expect.stringMatching(call === 'send' ? /^card:/ : /^thread:/),
          purpose: call === 'send' ? 'card' : 'spawn-thread',
          attempt: 1,
          code: 'channel-permission-denied',
          problem: expect.any(String),
          hint: HINT,
        },
      },
    ]);
  },
);

test('P1: what a platform says is to be done stands in the words to people and to the requester', async () => {
  const app = await start();
  app.channel.refuseNext('openThread', 'channel-permission-denied', HINT);
  await app.channel.say('spawn thread digger');
  const told = () => app.channel.texts().filter((text) => text.includes('could not start'));
  await eventually(told).toEqual([expect.stringContaining(HINT)]);
  expect(await app.read.inputs.unassigned(GENERAL)).toMatchObject([{ text: expect.stringContaining(HINT) }]);
});

test('L6: a reply that its thread refuses for good is told once where the subagent was asked for, and to its session', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  await app.channel.say('spawn thread digger');
  await eventually(() => app.channel.threads.length).toBe(1);
  const thread = app.channel.threads[0]!.id;
  await eventually(() => app.channel.texts(thread)).toContain('re: digger');
  app.channel.refuseNext('send', 'channel-permission-denied');
  await app.channel.say('more', { thread });
  const told = () => app.channel.texts().filter((text) => text.includes('could not be posted there'));
  await eventually(told).toEqual([expect.stringContaining('**digger** has answered')]);
  expect(told()[0]).toContain('I may not write there');
  const [child] = await app.read.sessions.children(GENERAL);
  expect(await app.read.inputs.unassigned(child!.key)).toMatchObject([
    { text: expect.stringContaining('could not be delivered') },
  ]);
  clock.advance(60_000);
  expect(told()).toHaveLength(1);
});

test('L6: a channel that refuses a reply is not told so in that channel', async () => {
  const app = await start();
  app.channel.refuseNext('send', 'channel-permission-denied');
  await app.channel.say('hello');
  await eventually(async () => (await app.read.operations.counts()).failed).toBe(1);
  await app.channel.say('again');
  await eventually(() => app.channel.texts()).toContain('re: again');
  expect(app.channel.texts()).toEqual(['re: again']);
});

test('BIND-16, X1: bindings outlive a restart, and one whose time came meanwhile ends with its notice', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  await app.channel.say('spawn thread digger');
  await eventually(() => app.channel.threads.length).toBe(1);
  const thread = app.channel.threads[0]!.id;
  await eventually(() => app.channel.texts(thread)).toContain('re: digger');
  await app.stop();

  const again = await start({ clock, after: app });
  expect((await again.channel.say('still there', { thread })).receipt).toMatchObject({
    sessionKey: expect.stringMatching(/:subagent:/),
  });
  await eventually(() => again.channel.texts(thread)).toContain('re: still there');
  await again.stop();

  clock.advance(86_400_001);
  const late = await start({ clock, after: again });
  await eventually(() => {
    clock.advance(500);
    return late.channel.texts(thread).filter((text) => text.includes('idle limit'));
  }).toHaveLength(1);
  expect((await late.channel.say('too late', { thread })).receipt).toMatchObject({
    sessionKey: `${GENERAL}:thread:${thread}`,
  });
});

test('CTX-02, CTX-07: a fork knows the conversation so far, and nothing that is said later', async () => {
  const app = await start();
  await app.channel.say('the password is swordfish');
  await eventually(() => app.channel.texts()).toContain('re: the password is swordfish');
  await app.channel.say('spawn thread digger');
  await eventually(() => app.channel.threads.length).toBe(1);
  const thread = app.channel.threads[0]!.id;
  await eventually(() => app.channel.texts(thread)).toContain('re: digger');
  await app.channel.say('a later word');
  await eventually(() => app.channel.texts()).toContain('re: a later word');
  await app.channel.say('go on', { thread });
  await eventually(() => app.channel.texts(thread)).toContain('re: go on');
  const seen = JSON.stringify(app.models.calls.at(-1)!.request.messages);
  expect(seen).toContain('swordfish');
  expect(seen).toContain('spawn thread digger');
  expect(seen).not.toContain('a later word');
});

test('BIND-21: a reply of the bound session is activity too', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  await app.channel.say('spawn thread digger');
  await eventually(() => app.channel.threads.length).toBe(1);
  const thread = app.channel.threads[0]!.id;
  await eventually(() => app.channel.texts(thread)).toContain('re: digger');
  await app.channel.say('slow work', { thread });
  await eventually(() => app.models.held()).toHaveLength(1);
  clock.advance(20 * 3_600_000);
  app.models.release(app.models.held()[0]!, 'done at last');
  await eventually(() => app.channel.texts(thread)).toContain('done at last');
  clock.advance(20 * 3_600_000);
  expect((await app.channel.say('thanks', { thread })).receipt).toMatchObject({
    sessionKey: expect.stringMatching(/:subagent:/),
  });
});
