/** Bound threads that Discord or people put to sleep, lock or delete, while nothing or something is at work in them. */
import { describe, expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createScriptedModels, HOLD, isSubagent, lastText } from '../fakes/scripted-models.ts';
import type { DiscordApp } from '../support/discord-app.ts';
import { READS_ALL, said, settled, spawnInThread, spawningWorld } from '../support/discord-threads.ts';
import { until } from '../support/until.ts';

type World = Awaited<ReturnType<typeof spawningWorld>>;

/** A thread with a subagent that has said its first word, and waits with further ones when asked to "hold". */
async function withThread(options = READS_ALL) {
  const world = await spawningWorld(
    (request) =>
      lastText(request).includes('hold') && isSubagent(request) ? HOLD : `echo: ${lastText(request)}`,
    {},
    options,
  );
  const { fake, general, user } = world;
  user.sendMessage(general, spawnInThread('moon'), { mention: true });
  const thread = await fake.waitForThread({ parent: general });
  await fake.waitForReply(thread, { matching: 'see to moon' });
  await settled(world.skein);
  return { ...world, thread };
}

const bindingsOf = ({ store }: DiscordApp) => store.read.bindings.ofAccount('discord', 'default', 10);

const becomes = (skein: DiscordApp, state: 'active' | 'dormant' | 'ended') =>
  until(
    async () => {
      const [binding] = await bindingsOf(skein);
      return (binding?.state ?? 'ended') === state;
    },
    { what: `a binding that is ${state}`, seen: () => bindingsOf(skein) },
  );

/** Archived by its timer: nobody did it. */
function archiveByTimer({ fake, thread }: Awaited<ReturnType<typeof withThread>>): void {
  fake.owner.archiveThread(thread);
}

describe('Q2 BIND-18 an archived thread', () => {
  test('E-4 sleeps with its binding, and the next message wakes both', async () => {
    const world = await withThread();
    const { fake, thread, user, skein } = world;
    const before = fake.visible(thread).length;
    archiveByTimer(world);
    await becomes(skein, 'dormant');
    expect(fake.visible(thread)).toHaveLength(before);
    const asked = user.sendMessage(thread, 'are you awake?');
    await fake.waitForReply(thread, { after: asked, matching: 'awake' });
    await becomes(skein, 'active');
    expect(thread.thread.isArchived).toBe(false);
  });

  test('E-4 is woken by its subagent’s answer, and keeps its binding', async () => {
    const world = await withThread();
    const { fake, thread, user, skein, models } = world;
    user.sendMessage(thread, 'hold on');
    const call = await until(() => models.held()[0], { what: 'the subagent at work' });
    archiveByTimer(world);
    await becomes(skein, 'dormant');
    models.release(call, 'done at last');
    await fake.waitForReply(thread, { matching: 'done at last' });
    await becomes(skein, 'active');
    expect(thread.thread.isArchived).toBe(false);
  });

  test('Q2 that refuses plain messages (50083) is opened first, in that order', async () => {
    const world = await withThread();
    const { fake, thread, user, models, skein } = world;
    user.sendMessage(thread, 'hold on');
    const call = await until(() => models.held()[0], { what: 'the subagent at work' });
    archiveByTimer(world);
    fake.journal.clear();
    const isAnswer = ({ method, path, body }: { method: string; path: string; body: unknown }) =>
      method === 'POST' &&
      path === `/channels/${thread.id}/messages` &&
      JSON.stringify(body).includes('at last');
    fake.faults.fail(isAnswer, { status: 400, code: 50083, message: 'Thread is archived' }, 1);
    models.release(call, 'done at last');
    await fake.waitForReply(thread, { matching: 'done at last' });
    await settled(skein);
    const calls = fake.journal.of(
      new RegExp(`^(POST /channels/${thread.id}/messages|PATCH /channels/${thread.id})$`),
    );
    expect(calls.map(({ method, status }) => `${method} ${status}`)).toEqual([
      'POST 400',
      'PATCH 200',
      'POST 200',
    ]);
  });

  test('E-4 is known after a restart, though Discord no longer tells of it', async () => {
    const world = await withThread();
    const { fake, thread, user, skein, start } = world;
    archiveByTimer(world);
    await becomes(skein, 'dormant');
    await skein.stop();
    const models = createScriptedModels((request) => `again: ${lastText(request)}`);
    const next = await start({ models });
    expect((await bindingsOf(next))[0]?.state).toBe('dormant');
    const asked = user.sendMessage(thread, 'still there?');
    await fake.waitForReply(thread, { after: asked, matching: 'again: ' });
    expect(isSubagent(models.calls[0]!.request)).toBe(true);
    await becomes(next, 'active');
  });

  test('Q2 is unfocused by a button of its card, and told so', async () => {
    const world = await withThread();
    const { fake, general, thread, user, skein } = world;
    archiveByTimer(world);
    await becomes(skein, 'dormant');
    const card = await fake.waitForReply(general, { matching: '**moon**' });
    await until(
      () => fake.visible(general).some(({ id, buttons }) => id === card.id && buttons.includes('Unfocus')),
      {
        what: 'the button',
      },
    );
    user.clickButton(card, 'Unfocus');
    await becomes(skein, 'ended');
    await fake.waitForReply(thread, { matching: 'no longer in this thread' });
  });

  test('Q2 is unfocused by a message that says so, which wakes it', async () => {
    const world = await withThread();
    const { fake, thread, user, skein } = world;
    archiveByTimer(world);
    await becomes(skein, 'dormant');
    user.sendMessage(thread, '/unfocus');
    await becomes(skein, 'ended');
    await fake.waitForReply(thread, { matching: 'no longer in this thread: it was unfocused' });
    const asked = user.sendMessage(thread, 'who is there?', { mention: true });
    await fake.waitForReply(thread, { after: asked, matching: 'who is there?' });
    const key = `agent:main:discord:channel:${thread.parentId}:thread:${thread.id}` as SessionKey;
    expect(await skein.store.read.sessions.get(key)).toBeDefined();
  });

  test('sleeps on when its idle limit passes: the limit runs, and the notice opens it', async () => {
    const clock = createManualClock(Date.now());
    const world = await spawningWorld(undefined, { clock });
    const { fake, general, user, skein } = world;
    user.sendMessage(general, spawnInThread('moon'), { mention: true });
    const thread = await fake.waitForThread({ parent: general });
    await fake.waitForReply(thread, { matching: 'see to moon' });
    await settled(skein);
    fake.owner.archiveThread(thread);
    await becomes(skein, 'dormant');
    clock.advance(25 * 3_600_000);
    await fake.waitForReply(thread, { matching: 'idle limit' });
    await becomes(skein, 'ended');
  });
});

describe('Q2 a locked thread', () => {
  test('ends its binding without a word in it; the subagent stays', async () => {
    const { fake, thread, general, skein } = await withThread();
    const before = fake.visible(thread).length;
    fake.owner.lockThread(thread);
    await becomes(skein, 'ended');
    expect(fake.visible(thread)).toHaveLength(before);
    expect(thread.thread.isArchived).toBe(true);
    const [child] = await childrenOf(skein, general.id);
    expect(child?.archivedAt).toBeUndefined();
  });

  test('is not fought for: what was asked for in it is stopped, and it stays as it is', async () => {
    const { fake, thread, user, models, skein } = await withThread();
    user.sendMessage(thread, 'hold on');
    const call = await until(() => models.held()[0], { what: 'the subagent at work' });
    fake.owner.lockThread(thread);
    await until(() => call.state === 'aborted', { what: 'the end of the work' });
    await becomes(skein, 'ended');
    expect(fake.journal.of(new RegExp(`^PATCH /channels/${thread.id}$`))).toEqual([]);
    expect(thread.thread.isLocked).toBe(true);
  });
});

describe('Q1 a place that is gone', () => {
  const deletions: readonly (readonly [string, (world: World & { thread: never }) => void])[] = [
    ['thread', ({ fake, thread }) => fake.owner.deleteThread(thread)],
    ['channel', ({ fake, general }) => fake.deleteChannel(general)],
    ['server for the bot', ({ fake, guild }) => fake.removeBot(guild)],
  ];
  test.each(deletions)('%s: the binding ends at once, and nothing is sent there', async (_what, remove) => {
    const world = await withThread();
    const { fake, thread, skein } = world;
    fake.journal.clear();
    remove(world as never);
    await becomes(skein, 'ended');
    await skein.stop();
    expect(fake.journal.of(new RegExp(`^POST /channels/${thread.id}/`))).toEqual([]);
  });

  test.each(['deleted', 'locked'] as const)(
    '%s under its subagent’s first task: that goes on, and its result comes to where it was asked for',
    async (how) => {
      const { fake, general, user, models, skein } = await spawningWorld((request) =>
        isSubagent(request) ? HOLD : `echo: ${lastText(request)}`,
      );
      user.sendMessage(general, spawnInThread('moon'), { mention: true });
      const thread = await fake.waitForThread({ parent: general });
      const call = await until(() => models.held()[0], { what: 'the subagent' });
      if (how === 'deleted') fake.owner.deleteThread(thread);
      else fake.owner.lockThread(thread);
      await fake.waitForReply(general, { matching: `was ${how}. It goes on` });
      models.release(call, 'the far side is dark');
      await fake.waitForReply(general, { matching: 'the far side is dark' });
      expect(said(fake, general).match(/It goes on/g)).toHaveLength(1);
      expect(await bindingsOf(skein)).toEqual([]);
      const agents = await user.runCommand(general, '/agents').reply();
      expect(agents.content).not.toContain(thread.id);
    },
  );
});

const childrenOf = ({ store }: DiscordApp, channel: string) =>
  store.read.sessions.children(`agent:main:discord:channel:${channel}` as SessionKey);
