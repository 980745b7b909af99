/** Killed while a place is made for an answer: a thread of the mention itself, or a new post in a forum. There is one of it. */
import { expect, test } from 'vitest';
import { APPLICATION_FLAGS, type Channel, type FakeDiscord } from '../fakes/discord/index.ts';
import type { ChatBody, FakeReply } from '../fakes/model-server.ts';
import { discordProcesses } from '../support/discord-process.ts';
import { botTexts, expectAnswersIn } from '../support/discord-questions.ts';
import { until } from '../support/until.ts';

const OPENING = /^POST .*\/threads$/;

const threadsIn = (fake: FakeDiscord, parent: Channel) =>
  [...fake.world.channels.values()].filter(({ parentId }) => parentId === parent.id);

test.each(['holdBefore', 'holdAfter'] as const)(
  'D8 c: killed while a mention gets its thread (%s), and told of it again: one thread, one answer',
  async (how) => {
    const { fake, general, user, model, start } = await discordProcesses({ discord: { autoThread: true } });
    let skein = await start();
    for (const [n, question] of ['q-1', 'q-2', 'q-3'].entries()) {
      const gate = fake.faults[how](OPENING, 1);
      const asked = user.sendMessage(general, question, { mention: true });
      await gate.reached;
      await skein.kill();
      fake.faults.clear();
      skein = await start();
      fake.redeliver(asked);
      const thread = await fake.waitFor('its thread', () => threadsIn(fake, general)[n]);
      expect(thread.id).toBe(asked.id);
      await expectAnswersIn(fake, thread, [question]);
      gate.release();
      expect(botTexts(fake, thread)).toEqual([`re ${question}`]);
    }
    expect(threadsIn(fake, general)).toHaveLength(3);
    expect(botTexts(fake, general)).toEqual([]);
    expect(model.requests).toHaveLength(3);
    expect(await skein.terminate()).toBe(0);
  },
);

/** Asked to dig, it gives that to a subagent with a thread. */
function digging(body: ChatBody): FakeReply {
  const last = body.messages.at(-1)!;
  if (JSON.stringify(body.messages).includes('You are a subagent')) return { type: 'text', text: 'found it' };
  if (last.role === 'tool') return { type: 'text', text: 'on its way' };
  const args = { task: 'do dig', label: 'dig', thread: true, context: 'isolated' };
  return { type: 'tool-calls', calls: [{ name: 'sessions_spawn', arguments: args }] };
}

test.each([
  ['holdBefore', 'soon'],
  ['holdAfter', 'soon'],
  ['holdAfter', 'much later'],
] as const)(
  'D7, D8: killed while a post is made for a subagent in a forum (%s), started %s: one post, one answer',
  async (how, when) => {
    const { fake, guild, user, model, start, passTime } = await discordProcesses({
      fake: { flags: APPLICATION_FLAGS.messageContent, nonceWindowMs: 0 },
    });
    const forum = fake.addChannel(guild, { name: 'forum', type: 'forum' });
    model.reply(digging);
    const first = await start();
    const gate = fake.faults[how](OPENING, 1);
    const { thread: asked } = user.createPost(forum, 'a question', { text: 'dig', mention: true });
    await gate.reached;
    await first.kill();
    fake.faults.clear();
    if (when === 'much later') passTime(600_000);
    const skein = await start();
    const posts = () => threadsIn(fake, forum).filter(({ id }) => id !== asked.id);
    await until(() => posts().some((post) => botTexts(fake, post).includes('found it')), {
      what: 'the answer in its post',
      withinMs: 20_000,
      seen: () => threadsIn(fake, forum).map((post) => fake.visible(post)),
    });
    await fake.waitForReply(asked, { matching: 'on its way' });
    expect(posts()).toHaveLength(1);
    expect(botTexts(fake, posts()[0]!).filter((text) => text === 'found it')).toHaveLength(1);
    expect(botTexts(fake, asked).filter((text) => text === 'on its way')).toHaveLength(1);
    expect(await skein.terminate()).toBe(0);
  },
);
