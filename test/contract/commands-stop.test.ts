/** `/stop` and `/subagents kill`: what is at work ends, all the way down, and the answer says what really was stopped. */
import { expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import type { MemoryChannel } from '../fakes/memory-channel.ts';
import { createScriptedModels, isSubagent } from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';

const GENERAL = 'agent:main:memory:channel:general' as SessionKey;

const start = (subagents: Record<string, unknown> = {}) =>
  startTestApp({ models: createScriptedModels(chatScript), config: { agents: { defaults: { subagents } } } });

const heldCount = ({ models }: TestApp) => models.held().length;

async function command(channel: MemoryChannel, text: string, thread?: string): Promise<string> {
  const { replies } = await channel.say(text, { ...(thread !== undefined && { thread }) });
  return replies.join('\n');
}

/** Status of every run of the session's subagents, by label, deepest last. */
async function statuses({ read }: TestApp): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const child of await read.sessions.descendants(GENERAL)) {
    const [run] = await read.runs.ofSession(child.key, 1);
    found[child.label ?? child.key] = run?.status ?? 'none';
  }
  return found;
}

test('STOP-01, C1: a model call under way is aborted, nothing of it is said, and repeating says nothing is running', async () => {
  const app = await start();
  await app.channel.say('slow question');
  await expect.poll(() => heldCount(app)).toBe(1);
  expect(await command(app.channel, '/stop')).toBe('Stopped the answer that was being worked out.');
  await expect.poll(() => app.models.calls[0]?.state).toBe('aborted');
  expect(await command(app.channel, '/stop')).toBe('Nothing is running here.');
  await app.channel.say('next');
  await expect.poll(() => app.channel.texts()).toEqual(['re: next']);
  expect((await app.read.runs.ofSession(GENERAL, 5)).map((run) => run.status)).toEqual([
    'succeeded',
    'cancelled',
  ]);
});

test('STOP-01, STOP-07, C2: children and their children end, none of them is announced, and the count is of those stopped', async () => {
  const app = await start({ maxSpawnDepth: 2 });
  await app.channel.say('spawn slow one, slow two, spawn slow below, quick');
  await expect.poll(() => heldCount(app)).toBe(3);
  await expect.poll(() => app.channel.texts()).toContain('heard of quick');
  const before = app.channel.messages.length;
  expect(await command(app.channel, '/stop')).toBe('Stopped 4 subagents.');
  await expect
    .poll(() => statuses(app))
    .toEqual({
      'slow one': 'cancelled',
      'slow two': 'cancelled',
      'spawn slow below': 'cancelled',
      'slow below': 'cancelled',
      quick: 'succeeded',
    });
  expect(await command(app.channel, '/stop')).toBe('Nothing is running here.');
  await app.channel.say('still there?');
  await expect.poll(() => app.channel.texts()).toContain('re: still there?');
  expect(app.channel.messages.slice(before).map(({ text }) => text)).toEqual(['re: still there?']);
  expect(app.models.calls.filter(({ state }) => state === 'aborted')).toHaveLength(3);
});

test('STOP-05: messages that wait behind the answer are removed and counted', async () => {
  const app = await startTestApp({
    models: createScriptedModels(chatScript),
    config: { messages: { queue: { mode: 'followup' } } },
  });
  await app.channel.say('slow question');
  await expect.poll(() => heldCount(app)).toBe(1);
  await app.channel.say('second');
  await app.channel.say('third');
  expect(await command(app.channel, '/stop')).toBe(
    'Stopped the answer that was being worked out. 2 waiting messages were removed.',
  );
  await app.channel.say('after');
  await expect.poll(() => app.channel.texts()).toEqual(['re: after']);
});

test('STOP-05: what a subagent in a thread has reported meanwhile is not a waiting message and is kept', async () => {
  const app = await start();
  await app.channel.say('spawn thread quick');
  await expect.poll(() => statuses(app)).toEqual({ quick: 'succeeded' });
  expect(await command(app.channel, '/stop')).toBe('Nothing is running here.');
  await app.channel.say('go on');
  await expect.poll(() => app.channel.texts()).toContain('re: go on');
  const prompt = app.models.calls.at(-1)!.request.messages.map((message) => JSON.stringify(message));
  expect(prompt.join()).toContain('label: quick');
});

test('STOP-06: children that were queued never start', async () => {
  const app = await start({ maxConcurrent: 1 });
  await app.channel.say('spawn slow one, slow two, slow three');
  await expect.poll(() => heldCount(app)).toBe(1);
  await expect.poll(() => app.channel.texts()).toEqual(['started']);
  expect(await command(app.channel, '/stop')).toBe('Stopped 3 subagents.');
  await expect
    .poll(() => statuses(app))
    .toEqual({ 'slow one': 'cancelled', 'slow two': 'cancelled', 'slow three': 'cancelled' });
  expect(app.models.calls.filter(({ request }) => isSubagent(request))).toHaveLength(1);
});

test('STOP-02, STOP-04, CMD-02: one subagent is stopped by number, with what is below it, and the others go on', async () => {
  const app = await start({ maxSpawnDepth: 2 });
  await app.channel.say('spawn slow one, spawn slow below');
  await expect.poll(() => heldCount(app)).toBe(2);
  await expect.poll(() => statuses(app)).toMatchObject({ 'spawn slow below': 'waiting' });
  expect(await command(app.channel, '/subagents kill #2')).toBe(
    'Stopped **spawn slow below** and 1 subagent below it.',
  );
  await expect.poll(() => statuses(app)).toMatchObject({ 'slow below': 'cancelled', 'slow one': 'running' });
  expect(await command(app.channel, '/subagents kill 2')).toBe('**spawn slow below** was not running.');
});

test('STOP-03, CMD-02: all of them are stopped at once, and the session itself is not', async () => {
  const app = await start();
  await app.channel.say('spawn slow one, slow two');
  await expect.poll(() => heldCount(app)).toBe(2);
  await expect.poll(() => app.channel.texts()).toEqual(['started']);
  await app.channel.say('slow question');
  await expect.poll(() => heldCount(app)).toBe(3);
  expect(await command(app.channel, '/subagents kill all')).toBe('Stopped 2 subagents.');
  await expect.poll(() => heldCount(app)).toBe(1);
  expect(await command(app.channel, '/subagents kill all')).toBe('Nothing was running.');
});

test('CMD-02: a subagent is stopped by the beginning of its run id, or by its label', async () => {
  const app = await start();
  await app.channel.say('spawn slow one, slow two');
  await expect.poll(() => heldCount(app)).toBe(2);
  const first = (await app.read.runs.allActive(10)).find(({ lane }) => lane === 'subagent')!;
  const label = (await app.read.sessions.get(first.sessionKey))!.label!;
  expect(await command(app.channel, `/subagents kill ${first.id.slice(0, 12)}`)).toBe(
    `Stopped **${label}**.`,
  );
  const other = label === 'slow one' ? 'slow two' : 'slow one';
  expect(await command(app.channel, `/subagents kill "${other.toUpperCase()}"`)).toBe(
    `Stopped **${other}**.`,
  );
});

test('STOP-07: stopping one place leaves the runs of another alone', async () => {
  const app = await start();
  await app.channel.say('slow here');
  await app.channel.say('slow there', { conversation: 'other' });
  await expect.poll(() => heldCount(app)).toBe(2);
  await command(app.channel, '/stop');
  await expect.poll(() => heldCount(app)).toBe(1);
  app.models.release(app.models.held()[0]!, 'there it is');
  await expect.poll(() => app.channel.texts()).toEqual(['there it is']);
});

test('STOP-07: a stopped subagent in a thread is said to be stopped there, once, and logged as cancelled', async () => {
  const app = await start();
  await app.channel.say('spawn thread slow one');
  await expect.poll(() => heldCount(app)).toBe(1);
  const thread = app.channel.threads[0]!.id;
  expect(await command(app.channel, '/stop', thread)).toBe('Stopped the answer that was being worked out.');
  await expect.poll(() => app.channel.texts(thread)).toContain('**slow one** was stopped.');
  const [child] = await app.read.sessions.children(GENERAL);
  const events = await app.read.stateLog.after(child!.key, 0, 10);
  expect(events.at(-1)).toMatchObject({ kind: 'run_failed', payload: { outcome: 'cancelled' } });
  expect(app.channel.texts(thread)).toHaveLength(2);
});

test('STOP-01: a requester that waits for its subagents is stopped with them', async () => {
  const app = await startTestApp({
    models: createScriptedModels((request) => {
      if (isSubagent(request) || request.messages.at(-1)?.role !== 'tool') return chatScript(request);
      const isSpawned = request.messages.filter(({ role }) => role === 'tool').length === 1;
      return isSpawned ? { calls: [{ name: 'sessions_yield', arguments: {} }] } : 'started';
    }),
  });
  await app.channel.say('spawn slow one');
  await expect.poll(async () => (await app.read.runs.active(GENERAL))[0]?.status).toBe('waiting');
  expect(await command(app.channel, '/stop')).toBe(
    'Stopped the answer that was being worked out and 1 subagent.',
  );
  await expect.poll(() => statuses(app)).toEqual({ 'slow one': 'cancelled' });
  expect(await app.read.runs.active(GENERAL)).toEqual([]);
  expect(app.channel.messages).toEqual([]);
});

test('ANN-21: a completion that waits for its turn when the requester is stopped is settled, not left open', async () => {
  const app = await start();
  await app.channel.say('spawn quick');
  await expect.poll(() => app.channel.texts()).toContain('heard of quick');
  await app.channel.say('slow question');
  await expect.poll(() => heldCount(app)).toBe(1);
  await app.app.runTool('sessions_spawn', GENERAL, { task: 'second', label: 'second' });
  await expect.poll(() => statuses(app)).toMatchObject({ second: 'succeeded' });
  await command(app.channel, '/stop');
  const child = (await app.read.sessions.children(GENERAL)).find(({ label }) => label === 'second')!;
  const [run] = await app.read.runs.ofSession(child.key, 1);
  await expect.poll(async () => (await app.read.announces.get(run!.id))?.status).toBe('suppressed');
  expect(app.channel.texts()).not.toContain('heard of second');
});

test.each([0, 1, 2, 3, 5, 8, 13, 21, 34])(
  'C1: an answer that is finished while it is being stopped is either said or counted as stopped, never both (%i turns apart)',
  async (turns) => {
    const app = await start();
    await app.channel.say('slow question');
    await expect.poll(() => heldCount(app)).toBe(1);
    const answered = command(app.channel, '/stop');
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const [call] = app.models.held();
    if (call) app.models.release(call, 'too late');
    const isStopped = (await answered).startsWith('Stopped');
    await expect.poll(() => app.read.runs.active(GENERAL)).toEqual([]);
    const [run] = await app.read.runs.ofSession(GENERAL, 1);
    expect(run!.status).toBe(isStopped ? 'cancelled' : 'succeeded');
    await app.channel.say('next');
    await expect.poll(() => app.channel.texts().at(-1)).toBe('re: next');
    expect(app.channel.texts().includes('too late')).toBe(!isStopped);
  },
);

test.each([0, 1, 2, 3, 5, 8, 13, 21, 34])(
  'STOP-01: a subagent that is being spawned while its requester is stopped does not go on alone (%i turns apart)',
  async (turns) => {
    const app = await start();
    await app.channel.say('slow question');
    await expect.poll(() => heldCount(app)).toBe(1);
    const [call] = app.models.held();
    app.models.release(call!, {
      calls: [{ name: 'sessions_spawn', arguments: { task: 'slow child', label: 'child' } }],
    });
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    await command(app.channel, '/stop');
    await expect.poll(() => heldCount(app)).toBe(0);
    await expect.poll(() => app.read.runs.allActive(10)).toEqual([]);
  },
);

test('C2: a subagent that lives in its thread and is idle stays there', async () => {
  const app = await start();
  await app.channel.say('spawn thread quick');
  const thread = () => app.channel.threads[0]?.id;
  await expect.poll(() => thread() && app.channel.texts(thread())).toContain('re: quick');
  await app.channel.say('slow question');
  await expect.poll(() => heldCount(app)).toBe(1);
  expect(await command(app.channel, '/stop')).toBe('Stopped the answer that was being worked out.');
  await app.channel.say('still there?', { thread: thread()! });
  await expect.poll(() => app.channel.texts(thread())).toContain('re: still there?');
  const [child] = await app.read.sessions.children(GENERAL);
  expect(await app.read.bindings.ofSession(child!.key)).toHaveLength(1);
});
