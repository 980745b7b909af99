/**
 * Killed between card and thread: one card, one thread from it, one answer in it, whatever the moment. A subagent's place is
 * never made twice, and nothing of it lands elsewhere.
 */
import { expect, test } from 'vitest';
import type { CallMatch } from '../fakes/discord/faults.ts';
import type { Channel, FakeDiscord } from '../fakes/discord/index.ts';
import type { ChatBody, FakeReply } from '../fakes/model-server.ts';
import { discordProcesses } from '../support/discord-process.ts';
import { botTexts } from '../support/discord-questions.ts';
import { until } from '../support/until.ts';

/** The n-th time it is asked to dig, a subagent with a thread does. */
function digging(body: ChatBody): FakeReply {
  const text = JSON.stringify(body.messages);
  const last = body.messages.at(-1)!;
  const topic =
    String(last.content)
      .match(/dig-\d+/g)
      ?.at(-1) ?? 'nothing';
  if (text.includes('You are a subagent')) return { type: 'text', text: `found in ${topic}` };
  if (last.role === 'tool') return { type: 'text', text: 'on its way' };
  const args = { task: `do ${topic}`, label: topic, thread: true, context: 'isolated' };
  return { type: 'tool-calls', calls: [{ name: 'sessions_spawn', arguments: args }] };
}

const threadsIn = (fake: FakeDiscord, parent: Channel) =>
  [...fake.world.channels.values()].filter(({ parentId }) => parentId === parent.id);

/** The card, the thread from it, the answer in it, and the reply of whoever spawned it: each once. */
async function expectOneOfEach(fake: FakeDiscord, channel: Channel, topic: string): Promise<void> {
  const found = `found in ${topic}`;
  const cards = () => fake.visible(channel).filter(({ text }) => text.includes(`**${topic}**`));
  await until(
    () =>
      threadsIn(fake, channel).some((thread) => botTexts(fake, thread).includes(found)) &&
      cards().some(({ text }) => /done/i.test(text)) &&
      botTexts(fake, channel).includes('on its way'),
    {
      what: `the answer in the thread of ${topic}`,
      withinMs: 20_000,
      seen: () => [fake.visible(channel), threadsIn(fake, channel).map((thread) => fake.visible(thread))],
    },
  );
  const threads = threadsIn(fake, channel);
  expect(threads.map(({ id, name }) => ({ id, name }))).toEqual([{ id: cards()[0]!.id, name: topic }]);
  expect(cards()).toHaveLength(1);
  expect(botTexts(fake, channel).filter((text) => text === 'on its way')).toHaveLength(1);
  expect(botTexts(fake, channel).join()).not.toContain(found);
  const said = botTexts(fake, threads[0]!);
  expect(said.filter((text) => text.includes('/unfocus'))).toHaveLength(1);
  expect(said.filter((text) => text === found)).toHaveLength(1);
  expect(said).toHaveLength(2);
}

const OPENING = /^POST .*\/threads$/;
const CARD = /^POST \/channels\/\d+\/messages$/;

interface Moment {
  readonly reached: Promise<unknown>;
  /** What was held then goes on now. */
  release?(): void;
}

/** Each brings the process to a moment in which it is then killed. */
const MOMENTS: readonly (readonly [string, (fake: FakeDiscord) => Moment])[] = [
  ['the card is on its way', ({ faults }) => faults.holdBefore(CARD, 1)],
  ['the card is posted and not yet known', ({ faults }) => faults.holdAfter(CARD, 1)],
  ['the thread is on its way', ({ faults }) => faults.holdBefore(OPENING, 1)],
  ['the thread is open and not yet known', ({ faults }) => faults.holdAfter(OPENING, 1)],
  ['the thread is open and its answer was cut', (fake) => answeredWith(fake, 'cut')],
  ['the thread was refused for a moment', (fake) => answeredWith(fake, 502)],
  ['the first words in the thread are on their way', (fake) => fake.faults.holdBefore(inThread(fake), 1)],
  ['the first words in the thread are not yet known', (fake) => fake.faults.holdAfter(inThread(fake), 1)],
];

function answeredWith(fake: FakeDiscord, how: 'cut' | 502): Moment {
  if (how === 'cut') fake.faults.cutAfter(OPENING, 1);
  else fake.faults.fail(OPENING, { status: how, body: '<html>bad gateway</html>' }, 1);
  const isSo = () => fake.journal.of(OPENING).find(({ status }) => status === how);
  return { reached: fake.waitFor(`the answer ${how}`, isSo) };
}

const inThread =
  (fake: FakeDiscord): CallMatch =>
  ({ method, path }) =>
    method === 'POST' && fake.world.channels.get(path.split('/')[2] ?? '')?.thread !== undefined;

test('D8, BIND-26: killed at twelve moments around the opening of a thread, each subagent has one thread and answers once', {
  timeout: 240_000,
}, async () => {
  const { fake, guild, user, model, start } = await discordProcesses();
  model.reply(digging);
  let skein = await start();
  const moments = [...MOMENTS, ...MOMENTS.slice(2, 6)];
  for (const [n, [what, reach]] of moments.entries()) {
    const channel = fake.addChannel(guild, { name: `room-${n}` });
    fake.journal.clear();
    const moment = reach(fake);
    const asked = user.sendMessage(channel, `dig-${n}`, { mention: true });
    await Promise.race([moment.reached, until(() => false, { what, withinMs: 15_000 })]);
    await skein.kill();
    fake.faults.clear();
    skein = await start();
    fake.redeliver(asked);
    await expectOneOfEach(fake, channel, `dig-${n}`);
    // What the dead process had on the line comes through late.
    moment.release?.();
  }
  await skein.kill();
  skein = await start();
  const rooms = moments.map((_, n) => fake.channel(guild, `room-${n}`));
  for (const [n, room] of rooms.entries()) await expectOneOfEach(fake, room, `dig-${n}`);
  expect(await skein.terminate()).toBe(0);
  expect(model.violations).toEqual([]);
});

test('D8 b: somebody else has opened a thread from the card: it is taken, bound and answered in', async () => {
  const { fake, general, user, model, start } = await discordProcesses();
  model.reply(digging);
  const skein = await start();
  const gate = fake.faults.holdBefore(OPENING, 1);
  user.sendMessage(general, 'dig-1', { mention: true });
  await gate.reached;
  const card = await fake.waitForReply(general, { matching: '**dig-1**' });
  const taken = user.openThread(card, 'mine');
  gate.release();
  await fake.waitForReply(taken, { matching: 'found in dig-1' });
  expect(threadsIn(fake, general)).toEqual([taken]);
  expect(fake.journal.of(OPENING).map(({ code }) => code)).toEqual([160004]);
  const asked = user.sendMessage(taken, 'dig-2', { mention: true });
  await fake.waitForReply(taken, { matching: 'found in dig-2', after: asked });
  expect(await skein.terminate()).toBe(0);
});

test('D8 a: the thread was opened and its answer came too late: it is found, without a second one', async () => {
  const { fake, general, user, model, start } = await discordProcesses();
  model.reply(digging);
  const skein = await start();
  fake.faults.cutAfter(OPENING, 1, 'close');
  user.sendMessage(general, 'dig-1', { mention: true });
  await expectOneOfEach(fake, general, 'dig-1');
  expect(fake.journal.of(OPENING).map(({ status }) => status)).toContain('cut');
  expect(await skein.terminate()).toBe(0);
});
