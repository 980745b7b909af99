/** An hour of downtime with five places in use: what was written meanwhile is asked about, answered, or left, and that once. */
import { expect, test } from 'vitest';
import { APPLICATION_FLAGS, type Channel } from '../fakes/discord/index.ts';
import type { ChatBody, FakeReply, ReplyHandler } from '../fakes/model-server.ts';
import { discordProcesses } from '../support/discord-process.ts';
import { botTexts, expectAnswersIn } from '../support/discord-questions.ts';
import { answerAll } from '../support/questions.ts';
import { until } from '../support/until.ts';

const MINUTE_MS = 60_000;

/** Asked to dig, it gives that to a subagent with a thread; questions are answered, here and there. */
const answering: ReplyHandler = (body: ChatBody, n: number): FakeReply | Promise<FakeReply> => {
  const last = body.messages.at(-1)!;
  const topic = /\bdig (\w+)/.exec(String(last.content))?.[1];
  if (last.role === 'tool') return { type: 'text', text: 'on its way' };
  if (topic === undefined) return answerAll(body, n);
  const args = { task: `q-${topic}`, label: topic, thread: true, context: 'isolated' };
  return { type: 'tool-calls', calls: [{ name: 'sessions_spawn', arguments: args }] };
};

/** Two channels, two bound threads and a direct conversation, each with something answered; then an hour passes. */
async function anHourAway(catchUp: 'ask' | 'answer' | 'off') {
  const world = await discordProcesses({
    discord: { catchUp, dmPolicy: 'open' },
    // Each question gets an answer of its own, so that they can be counted.
    config: { messages: { queue: { mode: 'followup' } } },
    fake: { flags: APPLICATION_FLAGS.messageContent },
  });
  const { fake, guild, general, user, model, passTime } = world;
  const rooms = ['one', 'two'].map((name) => fake.addChannel(guild, { name }));
  model.reply(answering);
  const first = await world.start();
  const threads: Channel[] = [];
  for (const topic of ['alpha', 'beta']) {
    user.sendMessage(general, `dig ${topic}`, { mention: true });
    threads.push(await fake.waitForThread({ named: topic }));
  }
  const places = [...rooms, ...threads, user.dm];
  const write = (channel: Channel, text: string) =>
    user.sendMessage(channel, text, { mention: rooms.includes(channel) });
  const known = new Map<Channel, readonly string[]>();
  for (const [n, place] of places.entries()) {
    const [task = ''] = threads.includes(place) ? [`q-${place.name}`] : [];
    if (task) await fake.waitForReply(place, { matching: `re ${task}` });
    write(place, `q-${n}`);
    known.set(place, [...(task ? [task] : []), `q-${n}`]);
    await expectAnswersIn(fake, place, known.get(place)!);
  }
  await until(() => botTexts(fake, general).filter((text) => text === 'on its way').length === 2, {
    what: 'both are on their way',
  });
  await first.kill();

  passTime(5 * MINUTE_MS);
  const bot = fake.addUser({ name: 'other bot', isBot: true });
  for (const [n, place] of places.entries()) {
    for (const letter of ['a', 'b', 'c']) write(place, `q-${n}${letter}`);
    if (place !== user.dm) bot.sendMessage(place, `q-bot${n}`, { mention: true });
    if (rooms.includes(place)) user.sendMessage(place, `q-past${n}`);
  }
  passTime(55 * MINUTE_MS);
  const heard = (place: Channel) => known.get(place)!;
  const missed = (place: Channel) => ['a', 'b', 'c'].map((letter) => `q-${places.indexOf(place)}${letter}`);
  const questions = (place: Channel) =>
    fake
      .messages(place)
      .filter(({ author, content }) => author.isBot && content.includes('while I was away'));
  return { ...world, places, write, heard, missed, questions };
}

/** What is written now is answered, and nothing else is. */
async function expectNothingMore(
  { fake, places, write }: Awaited<ReturnType<typeof anHourAway>>,
  answered: (place: Channel) => readonly string[],
): Promise<void> {
  const before = places.map((place) => fake.visible(place).length);
  for (const place of places) write(place, 'q-now');
  for (const [n, place] of places.entries()) {
    await expectAnswersIn(fake, place, [...answered(place), 'q-now']);
    expect(fake.visible(place)).toHaveLength(before[n]! + 2);
  }
}

test('X7: after an hour away one question a place asks, its buttons do what they say, and a second start asks nothing', async () => {
  const world = await anHourAway('ask');
  const { fake, user, places, heard, missed, questions, model } = world;
  const skein = await world.start();
  for (const place of places) {
    await until(() => questions(place).length > 0, { what: `a question in ${place.name}` });
    expect(fake.visible(place).at(-1)).toMatchObject({
      text: expect.stringContaining('3 messages came in while I was away'),
      buttons: ['All', 'Only the newest', 'None'],
    });
  }
  const requests = model.requests.length;
  const choices = ['All', 'Only the newest', 'None', 'All', 'Only the newest'];
  const chosen = (place: Channel): readonly string[] => {
    const choice = choices[places.indexOf(place)];
    return choice === 'All' ? missed(place) : choice === 'None' ? [] : missed(place).slice(-1);
  };
  const answered = (place: Channel) => [...heard(place), ...chosen(place)];
  for (const [n, place] of places.entries()) {
    await user.clickButton(questions(place)[0]!, choices[n]!).acknowledged();
  }
  for (const place of places) {
    await expectAnswersIn(fake, place, answered(place));
    await until(() => fake.visible(place).every(({ buttons }) => !buttons.includes('All')), {
      what: 'the buttons are gone',
      seen: () => fake.visible(place),
    });
    expect(questions(place)).toHaveLength(1);
  }
  expect(model.requests.length - requests).toBe(8);

  expect(await skein.terminate()).toBe(0);
  const again = await world.start();
  await expectNothingMore(world, answered);
  expect(await again.terminate()).toBe(0);
});

test('X7: a question that nobody has answered stays one over a kill and a restart, and works afterwards', async () => {
  const world = await anHourAway('ask');
  const { fake, user, places, heard, missed, questions } = world;
  const first = await world.start();
  await until(() => places.some((place) => questions(place).length > 0), { what: 'a first question' });
  await first.kill();
  const skein = await world.start();
  for (const place of places) {
    await until(() => questions(place).length > 0, { what: `a question in ${place.name}` });
  }
  for (const place of places) {
    await user.clickButton(questions(place)[0]!, 'All').acknowledged();
    await expectAnswersIn(fake, place, [...heard(place), ...missed(place)]);
    expect(questions(place)).toHaveLength(1);
  }
  expect(await skein.terminate()).toBe(0);
});

test('X7: with “answer” each missed message is answered once, in order, and a second start answers nothing again', async () => {
  const world = await anHourAway('answer');
  const { fake, places, heard, missed, questions, model } = world;
  const first = await world.start();
  // Killed while it is at it.
  await fake.waitForReply(places[0]!, { matching: /re q-0[abc]/ });
  await first.kill();
  const answered = (place: Channel) => [...heard(place), ...missed(place)];
  const skein = await world.start();
  for (const place of places) {
    await expectAnswersIn(fake, place, answered(place));
    expect(questions(place)).toEqual([]);
  }
  await skein.kill();
  const again = await world.start();
  await expectNothingMore(world, answered);
  expect(model.violations).toEqual([]);
  expect(await again.terminate()).toBe(0);
});

test('X7: with “off” nothing is looked for', async () => {
  const world = await anHourAway('off');
  const { fake, heard } = world;
  fake.journal.clear();
  const skein = await world.start();
  await expectNothingMore(world, heard);
  expect(fake.journal.of(/^GET .*\/messages$/)).toEqual([]);
  expect(await skein.terminate()).toBe(0);
});
