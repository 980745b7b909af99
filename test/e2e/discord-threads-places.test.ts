/** Where a subagent's thread is opened, from wherever it is asked for, and where its words go. */
import { describe, expect, test } from 'vitest';
import type { ChannelSpec } from '../fakes/discord/index.ts';
import { HOLD, isSubagent, lastText } from '../fakes/scripted-models.ts';
import {
  READS_ALL,
  said,
  spawnInThread,
  spawningWorld,
  strangeIds,
  threadsOf,
} from '../support/discord-threads.ts';
import { until } from '../support/until.ts';

describe('asked for in', () => {
  test('R3 R4 a text channel: the first and the second answer stand in its thread, the channel has its card', async () => {
    const { fake, general, user } = await spawningWorld((request) =>
      isSubagent(request) ? `READY ${request.messages.length}` : 'handed over',
    );
    user.sendMessage(general, spawnInThread('ready'), { mention: true });
    const thread = await fake.waitForThread({ parent: general, named: 'ready' });
    const first = await fake.waitForReply(thread, { matching: /^READY/ });
    const again = user.sendMessage(thread, 'and again');
    await fake.waitForReply(thread, { after: again, matching: /^READY/ });
    await fake.waitForReply(general, { matching: 'handed over' });
    expect(said(fake, general)).not.toContain('READY');
    const card = await fake.waitForReply(general, { matching: '**ready**' });
    expect(thread.id).toBe(card.id);
    expect(fake.visible(thread).filter(({ id }) => id === first.id)).toHaveLength(1);
    expect(strangeIds(fake)).toEqual([]);
  });

  test('R4 R11 a thread: a sibling under the same channel, with a line at the start and one at the end', async () => {
    const { fake, general, user, models } = await spawningWorld((request) =>
      isSubagent(request) ? HOLD : 'handed over',
    );
    const origin = user.openThread(user.sendMessage(general, 'a talk'), 'the talk');
    user.sendMessage(origin, spawnInThread('sibling'), { mention: true });
    const thread = await fake.waitForThread({ parent: general, named: 'sibling' });
    expect(thread.parentId).toBe(general.id);
    const start = await fake.waitForReply(origin, { matching: 'is at work' });
    expect(start.content).toContain(`<#${thread.id}>`);
    const call = await until(() => models.held()[0], { what: 'the subagent' });
    models.release(call, 'found it');
    await fake.waitForReply(thread, { matching: 'found it' });
    const end = await fake.waitForReply(origin, { after: start, matching: `<#${thread.id}>` });
    expect(said(fake, origin)).not.toContain('found it');
    expect(end.content).toContain('**sibling**');
    expect(threadsOf(fake, general)).toHaveLength(2);
    expect(fake.journal.of(new RegExp(`POST /channels/${origin.id}/(messages/\\d+/)?threads`))).toEqual([]);
    expect(strangeIds(fake)).toEqual([]);
  });

  test('R4 a slash command: /subagents spawn answers in the channel, /focus opens a thread under it', async () => {
    const { fake, general, user } = await spawningWorld();
    const spawned = user.runCommand(general, '/subagents spawn', {
      agentid: 'main',
      task: 'count the stars',
    });
    expect((await spawned.reply()).content).toMatch(/^Started/);
    await fake.waitForReply(general, { matching: 'count the stars' });
    const focused = user.runCommand(general, '/focus', { target: '1' });
    const thread = await fake.waitForThread({ parent: general });
    await fake.waitForReply(thread, { matching: 'To leave: `/unfocus`' });
    await focused.reply();
    user.sendMessage(thread, 'how many?');
    await fake.waitForReply(thread, { matching: 'how many?' });
    expect(strangeIds(fake)).toEqual([]);
  });

  test('R3 for one task only: its result stands in its thread, and the asker is told of it where it was asked', async () => {
    const { fake, general, user } = await spawningWorld((request) => {
      if (isSubagent(request)) return 'RESULT 42';
      return lastText(request).includes('RESULT 42') ? 'It is 42.' : 'handed over';
    });
    user.sendMessage(general, spawnInThread('once', { mode: 'run' }), { mention: true });
    const thread = await fake.waitForThread({ parent: general });
    await fake.waitForReply(thread, { matching: 'RESULT 42' });
    await fake.waitForReply(general, { matching: 'It is 42.' });
    expect(said(fake, general)).not.toContain('RESULT 42');
    expect(said(fake, thread)).not.toContain('It is 42.');
  });

  test('Q6 a forum post: a post of its own beside it, with the tag that the forum wants', async () => {
    const { fake, guild, user } = await spawningWorld();
    const forum = fake.addChannel(guild, {
      name: 'asks',
      type: 'forum',
      tags: ['one', 'two'],
      needsTag: true,
    });
    const { thread: post } = user.createPost(forum, 'My question', {
      text: spawnInThread('answer'),
      tags: ['two'],
      mention: true,
    });
    const thread = await fake.waitForThread({ parent: forum, named: 'answer' });
    expect(thread.thread.tags).toHaveLength(1);
    const found = await fake.waitForReply(thread, { matching: 'see to answer' });
    await fake.waitForReply(post, { matching: `<#${thread.id}>` });
    expect(said(fake, post)).not.toContain('see to answer\n');
    const asked = user.sendMessage(thread, 'more?');
    await fake.waitForReply(thread, { after: asked, matching: 'more?' });
    expect(BigInt(found.id)).toBeGreaterThan(BigInt(thread.id));
    expect(threadsOf(fake, forum)).toHaveLength(2);
    expect(strangeIds(fake)).toEqual([]);
  });

  test('Q6 a post of a media channel: the same', async () => {
    const { fake, guild, user } = await spawningWorld();
    const media = fake.addChannel(guild, { name: 'films', type: 'media' });
    user.createPost(media, 'My film', { text: spawnInThread('cut'), mention: true });
    const thread = await fake.waitForThread({ parent: media, named: 'cut' });
    await fake.waitForReply(thread, { matching: 'see to cut' });
    expect(threadsOf(fake, media)).toHaveLength(2);
  });

  test('Q6 an announcement channel: a thread of it', async () => {
    const { fake, guild, user } = await spawningWorld();
    const news = fake.addChannel(guild, { name: 'news', type: 'announcement' });
    user.sendMessage(news, spawnInThread('issue'), { mention: true });
    const thread = await fake.waitForThread({ parent: news });
    await fake.waitForReply(thread, { matching: 'see to issue' });
    expect(thread.type).toBe('announcement-thread');
  });
});

describe('Q6 refused with a reason in', () => {
  test.each<ChannelSpec['type']>(['voice', 'stage'])(
    'the text of a %s channel: nothing is left behind',
    async (type) => {
      const { fake, guild, user, skein } = await spawningWorld();
      const talk = fake.addChannel(guild, { name: 'talk', type: type! });
      user.sendMessage(talk, spawnInThread('talker'), { mention: true });
      const told = await fake.waitForReply(talk, { matching: 'could not start' });
      expect(told.content).toContain('use a text, announcement or forum channel');
      await fake.waitForReply(talk, { matching: '**talker** · Failed' });
      expect(threadsOf(fake)).toEqual([]);
      await nothingHalfMade(skein, `agent:main:discord:channel:${talk.id}`);
    },
  );

  test('direct messages: the model is told at once, and nothing is opened', async () => {
    const { fake, user, skein } = await spawningWorld(undefined, { discord: { dmPolicy: 'open' } });
    user.sendDm(spawnInThread('secret'));
    const told = await fake.waitForReply(user.dm, { matching: 'no place here to open a thread' });
    expect(told.content).toContain('thread: false');
    expect(threadsOf(fake)).toEqual([]);
    await nothingHalfMade(skein, 'agent:main:main');
  });
});

test('R1 three subagents asked for in one thread answer there, whatever is said in another', async () => {
  const { fake, general, user, models } = await spawningWorld(
    (request) => {
      if (isSubagent(request)) return HOLD;
      const last = request.messages.at(-1);
      if (last?.role === 'tool') return 'handed over';
      // Results that come together are one turn.
      const results = request.messages.flatMap((message) =>
        message.role === 'user' ? (/RESULT \w+/.exec(message.text) ?? []) : [],
      );
      return lastText(request).includes('RESULT') ? results.join(', ') : `echo: ${lastText(request)}`;
    },
    {},
    READS_ALL,
  );
  const other = fake.addUser({ name: 'bob' });
  const ta = user.openThread(general, 'TA');
  const tb = other.openThread(general, 'TB');
  for (const name of ['one', 'two', 'three']) {
    const asked = user.sendMessage(ta, `spawn ${JSON.stringify({ task: name, label: name })}`, {
      mention: true,
    });
    await fake.waitForReply(ta, { after: asked, matching: 'handed over' });
  }
  const elsewhere = other.sendMessage(tb, 'hello from TB', { mention: true });
  await fake.waitForReply(tb, { after: elsewhere, matching: 'hello from TB' });
  await until(() => models.held().length === 3 || undefined, { what: 'three subagents' });
  for (const call of models.held())
    models.release(call, `RESULT ${/one|two|three/.exec(lastText(call.request))?.[0]}`);
  for (const name of ['one', 'two', 'three']) await fake.waitForReply(ta, { matching: `RESULT ${name}` });
  const followUp = user.sendMessage(ta, 'thank you', { mention: true });
  await fake.waitForReply(ta, { after: followUp, matching: 'echo: ' });
  const posted = fake.visible(tb).filter(({ author }) => author === 'skein');
  expect(posted.map(({ text }) => text)).toEqual([expect.stringContaining('hello from TB')]);
  expect(fake.visible(general).filter(({ author }) => author === 'skein')).toEqual([]);
  expect(strangeIds(fake)).toEqual([]);
});

async function nothingHalfMade(
  { store }: Awaited<ReturnType<typeof spawningWorld>>['skein'],
  requester: string,
): Promise<void> {
  expect(await store.read.sessions.children(requester as never)).toEqual([]);
  expect(await store.read.bindings.ofAccount('discord', 'default', 10)).toEqual([]);
}
