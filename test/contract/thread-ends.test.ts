/** What the platform and people do to a bound thread: asleep it keeps its binding, locked or deleted it loses it at once. */
import { expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';

const GENERAL = 'agent:main:memory:channel:general' as SessionKey;
const HOUR_MS = 3_600_000;

async function startBound(task = 'digger', from = 'spawn thread') {
  const clock = createManualClock();
  const app = await startTestApp({ clock, models: createScriptedModels(chatScript) });
  await app.channel.say(`${from} ${task}`);
  await eventually(() => app.channel.threads).toHaveLength(1);
  const thread = app.channel.threads[0]!.id;
  const place = {
    channel: 'memory',
    account: 'default',
    chatType: 'channel',
    conversation: 'general',
    thread,
  } as const;
  await eventually(() => app.read.bindings.live(place)).toBeDefined();
  const [child] = await app.read.sessions.children(GENERAL);
  return { app, clock, thread, place, child: child! };
}

const failedCalls = async (app: TestApp) => (await app.read.operations.failed(9)).map(({ id }) => id);

test('BIND-18: an archived thread keeps its binding asleep, and the next message wakes both', async () => {
  const { app, clock, thread, place } = await startBound();
  await eventually(() => app.channel.texts(thread)).toContain('re: digger');
  await app.channel.archiveThread(thread);
  expect(await app.read.bindings.live(place)).toMatchObject({ state: 'dormant' });
  await app.channel.archiveThread(thread);
  clock.advance(20 * HOUR_MS);
  const { receipt } = await app.channel.say('more', { thread });
  expect(receipt).toMatchObject({ sessionKey: expect.stringMatching(/:subagent:/) });
  expect(await app.read.bindings.live(place)).toMatchObject({ state: 'active', lastActivityAt: clock.now() });
  await eventually(() => app.channel.texts(thread)).toContain('re: more');
});

test('BIND-18: the timers of a binding run on while its thread is archived', async () => {
  const { app, clock, thread, place } = await startBound();
  await eventually(() => app.channel.texts(thread)).toContain('re: digger');
  await app.channel.archiveThread(thread);
  clock.advance(24 * HOUR_MS);
  await eventually(async () => {
    clock.advance(500);
    return app.read.bindings.live(place);
  }).toBeUndefined();
  await eventually(() =>
    app.channel.texts(thread).filter((text) => text.includes('idle limit')),
  ).toHaveLength(1);
  expect((await app.channel.say('late', { thread })).receipt).toMatchObject({
    sessionKey: `${GENERAL}:thread:${thread}`,
  });
});

test.each(['deleted', 'locked'] as const)(
  'BIND-18, Q1: a thread that is %s ends its binding at once and without a farewell; its session stays',
  async (how) => {
    const { app, thread, place, child } = await startBound();
    await eventually(() => app.channel.texts(thread)).toContain('re: digger');
    const before = app.channel.messages.length;
    await (how === 'deleted' ? app.channel.deleteThread(thread) : app.channel.lockThread(thread));
    expect(await app.read.bindings.live(place)).toBeUndefined();
    expect((await app.read.sessions.get(child.key))?.archivedAt).toBeUndefined();
    expect((await app.channel.say('/agents')).replies[0]).not.toContain(`thread:${thread}`);
    await app.channel.say('ping');
    await eventually(() => app.channel.texts()).toContain('re: ping');
    expect(app.channel.messages).toHaveLength(before + 1);
    expect(await failedCalls(app)).toEqual([]);
  },
);

test('Q1: the result of a subagent whose thread is deleted while it works is announced where it was asked for', async () => {
  const { app, thread } = await startBound('slow dig');
  await eventually(() => app.models.held()).toHaveLength(1);
  await app.channel.deleteThread(thread);
  await eventually(() => app.channel.texts()).toContain(
    'The thread of **slow dig** was deleted. It goes on, and its result will come here.',
  );
  app.models.release(app.models.held()[0]!, 'found it');
  await eventually(() => app.channel.texts()).toContain('heard of slow dig');
  expect(await failedCalls(app)).toEqual([]);
  expect((await app.channel.say('/subagents list')).replies[0]).toContain('succeeded');
});

test('Q1: work that was asked for in the deleted thread itself is stopped, since nobody would hear of it', async () => {
  const { app, thread, child } = await startBound();
  await eventually(() => app.channel.texts(thread)).toContain('re: digger');
  await app.channel.say('slow work', { thread });
  await eventually(() => app.models.held()).toHaveLength(1);
  await app.channel.deleteThread(thread);
  await eventually(async () => (await app.read.runs.ofSession(child.key, 1))[0]?.status).toBe('cancelled');
  expect(await failedCalls(app)).toEqual([]);
  expect(app.models.held()).toEqual([]);
});

test('Q1, E-19: with the whole channel gone every binding in it ends, and what nobody could hear is stopped', async () => {
  const { app, place, child } = await startBound('slow dig');
  await eventually(() => app.models.held()).toHaveLength(1);
  await app.channel.deleteConversation();
  expect(await app.read.bindings.live(place)).toBeUndefined();
  await eventually(async () => (await app.read.runs.ofSession(child.key, 1))[0]?.status).toBe('cancelled');
});

test.each(['deleted', 'locked'] as const)(
  'what was missed in a thread that is %s is kept only where it can still be read',
  async (how) => {
    const { app, clock, thread, place } = await startBound();
    await eventually(() => app.channel.texts(thread)).toContain('re: digger');
    await app.channel.say('more', { thread, id: 'm80' });
    await app.channel.miss({ text: 'and?', id: 'm81', thread, at: clock.now() - HOUR_MS });
    expect(await app.read.cursors.missed(place)).toHaveLength(1);
    await (how === 'deleted' ? app.channel.deleteThread(thread) : app.channel.lockThread(thread));
    const isKept = how === 'locked';
    expect(await app.read.cursors.missed(place)).toHaveLength(isKept ? 1 : 0);
    expect((await app.read.cursors.get(place)) !== undefined).toBe(isKept);
  },
);

test('a thread without a binding that is deleted stops what was being answered there', async () => {
  const app = await startTestApp({ models: createScriptedModels(chatScript) });
  const thread = app.channel.openPlainThread();
  const { receipt } = await app.channel.say('slow answer', { thread });
  await eventually(() => app.models.held()).toHaveLength(1);
  await app.channel.deleteThread(thread);
  const key = receipt.status === 'admitted' ? receipt.sessionKey : '';
  await eventually(async () => (await app.read.runs.ofSession(key as SessionKey, 1))[0]?.status).toBe(
    'cancelled',
  );
  expect(await failedCalls(app)).toEqual([]);
});
