/** Where a message goes and where its answer is said, through the whole application over a chat in memory. */
import { expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createScriptedModels, HOLD, isSubagent, lastText } from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp, type TestAppParts } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';

const GENERAL = 'agent:main:memory:channel:general' as SessionKey;
const DAY = 86_400_000;

const start = (parts: TestAppParts = {}) =>
  startTestApp({ models: createScriptedModels(chatScript), ...parts });

/** The thread of the first subagent, once its task is done. */
async function openThread(app: TestApp): Promise<string> {
  await app.channel.say('spawn thread digger');
  await expect.poll(() => app.channel.threads.length).toBe(1);
  const { id } = app.channel.threads[0]!;
  await expect.poll(() => app.channel.texts(id)).toContain('re: digger');
  return id;
}

test('KEY-03, KEY-21: a place has a session of its own, and a thread another one', async () => {
  const app = await start();
  const thread = app.channel.openPlainThread();
  expect((await app.channel.say('a')).receipt).toMatchObject({ sessionKey: GENERAL });
  expect((await app.channel.say('b', { thread })).receipt).toMatchObject({
    sessionKey: `${GENERAL}:thread:${thread}`,
  });
  await expect.poll(() => app.channel.texts()).toEqual(['re: a']);
  await expect.poll(() => app.channel.texts(thread)).toEqual(['re: b']);
});

test('CHAN-03: a live binding wins over the key of the place, and no longer once it has ended', async () => {
  const app = await start();
  const thread = await openThread(app);
  const bound = await app.channel.say('more', { thread });
  expect(bound.receipt).toMatchObject({ sessionKey: expect.stringMatching(/^agent:main:subagent:/) });
  await app.channel.say('/unfocus', { thread });
  const after = await app.channel.say('more', { thread });
  expect(after.receipt).toMatchObject({ sessionKey: `${GENERAL}:thread:${thread}` });
});

test('CHAN-04, BIND-04, R3: every reply of a bound subagent is said in its thread, the first one too, and nowhere else', async () => {
  const app = await start();
  const thread = await openThread(app);
  await app.channel.say('again', { thread });
  await expect.poll(() => app.channel.texts(thread)).toContain('re: again');
  expect(app.channel.texts()).toEqual([expect.stringContaining('**digger**'), 'started']);
});

test('CHAN-05: the route of a session is where it was last spoken to', async () => {
  const app = await start();
  await app.channel.say('a');
  const session = await app.read.sessions.get(GENERAL);
  expect(session?.route).toMatchObject({ channel: 'memory', account: 'default', conversation: 'general' });
});

test('E-12: the first notice in a bound thread names agent, label and timers, and says how to leave', async () => {
  const app = await start();
  const thread = await openThread(app);
  const [notice] = app.channel.texts(thread);
  expect(notice).toContain('**digger** (agent main)');
  expect(notice).toContain('1d without a message');
  expect(notice).toContain('/unfocus');
});

test('BIND-05, BIND-21: a message after the idle limit never reaches the old session, swept or not', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  await app.channel.say('spawn thread digger');
  await expect.poll(() => app.channel.threads.length).toBe(1);
  const thread = app.channel.threads[0]!.id;
  await expect.poll(() => app.channel.texts(thread)).toContain('re: digger');
  clock.advance(DAY + 1);
  const late = await app.channel.say('too late', { thread });
  expect(late.receipt).toMatchObject({ sessionKey: `${GENERAL}:thread:${thread}` });
  const notices = () => app.channel.texts(thread).filter((text) => text.includes('no longer in this thread'));
  await expect.poll(notices).toEqual([expect.stringContaining('idle limit')]);
});

test('LANE-01, LANE-02, LANE-04: a full subagent lane queues in order and never blocks the main lane', async () => {
  const config = { agents: { defaults: { subagents: { maxConcurrent: 1, maxChildrenPerAgent: 20 } } } };
  const models = createScriptedModels((request) => (isSubagent(request) ? HOLD : chatScript(request)));
  const app = await start({ config, models });
  await app.channel.say('spawn a, b, c');
  await expect.poll(() => app.channel.texts()).toContain('started');
  await app.channel.say('hello');
  await expect.poll(() => app.channel.texts()).toContain('re: hello');
  for (const task of ['a', 'b', 'c']) {
    await expect
      .poll(() => models.held().map(({ request }) => lastText(request)))
      .toEqual([`[Subagent Task]\n${task}`]);
    models.release(models.held()[0]!, `done ${task}`);
  }
  await expect.poll(() => app.read.runs.counts()).toEqual({ queued: 0, running: 0, waiting: 0 });
});

test('LANE-06: runs of one session follow each other while another session is answered', async () => {
  const config = { messages: { queue: { mode: 'followup' } } };
  const app = await start({ config });
  await app.channel.say('slow one');
  await app.channel.say('two');
  await app.channel.say('elsewhere', { conversation: 'other' });
  await expect.poll(() => app.models.calls.length).toBe(2);
  expect(app.models.held().map(({ request }) => lastText(request))).toEqual(['slow one']);
  app.models.release(app.models.held()[0]!, 'one');
  await expect.poll(() => app.channel.texts()).toContain('re: two');
});

test('B3, E-7: the same event again has no second run and gets the same receipt; another one always runs', async () => {
  const app = await start();
  const first = await app.channel.say('hello', { id: 'event-1' });
  await expect.poll(() => app.channel.texts()).toEqual(['re: hello']);
  const repeated = await app.channel.say('hello', { id: 'event-1' });
  expect(repeated.receipt).toEqual(first.receipt);
  await app.channel.say('hello', { id: 'event-2' });
  await expect.poll(() => app.channel.texts()).toEqual(['re: hello', 're: hello']);
  expect(app.models.calls).toHaveLength(2);
});
