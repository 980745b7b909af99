/**
 * People go on writing in five places while the process is killed at random and the line fails now and then: whatever was
 * written is answered once, in its place and in order.
 */
import { expect, test } from 'vitest';
import { createRandom } from '../../bench/chaos/random.ts';
import { APPLICATION_FLAGS, type Channel } from '../fakes/discord/index.ts';
import { discordProcesses } from '../support/discord-process.ts';
import { botTexts, expectAnswersIn } from '../support/discord-questions.ts';
import { answerAll, answeredIn } from '../support/questions.ts';

const MESSAGES = 40;
const KILLS = 6;
const POST = /^POST \/channels\/\d+\/messages$/;

test.each([3, 11])(
  'X1, X7, D7: 40 messages and 6 kills (seed %i): each is answered once, in order',
  {
    timeout: 180_000,
  },
  async (seed) => {
    const random = createRandom(seed);
    const world = await discordProcesses({
      discord: { dmPolicy: 'open', autoThread: false },
      fake: { flags: APPLICATION_FLAGS.messageContent },
    });
    const { fake, guild, general, user, model } = world;
    model.reply(async (body, n) => answerAll(body, n));
    const thread = user.openThread(general, 'a thread');
    const places: readonly Channel[] = [
      general,
      fake.addChannel(guild, { name: 'one' }),
      fake.addChannel(guild, { name: 'two' }),
      thread,
      user.dm,
    ];
    const written = new Map<Channel, string[]>(places.map((place) => [place, []]));
    let count = 0;
    const write = (place: Channel) => {
      const question = `q-${count++}`;
      written.get(place)!.push(question);
      user.sendMessage(place, question, { mention: true });
    };
    let skein = await world.start();
    // Only places that are in use are looked through after a restart.
    for (const place of places) write(place);
    for (const place of places) await expectAnswersIn(fake, place, written.get(place)!);

    const total = MESSAGES + places.length;
    for (let kill = 0; kill < KILLS; kill++) {
      const upTo = places.length + Math.floor((MESSAGES * (kill + 1)) / (KILLS + 1));
      while (count < upTo) write(places[random.below(places.length)]!);
      if (random.below(2) === 0) fake.faults.cutAfter(POST, 1);
      if (random.below(2) === 0) fake.faults.fail(POST, { status: 503 }, 1);
      const calls = fake.journal.entries.length + random.below(12);
      await fake.waitFor('so many calls', () => fake.journal.entries.length >= calls || undefined);
      await skein.kill();
      fake.faults.clear();
      // Somebody writes while nobody is there.
      write(places[random.below(places.length)]!);
      skein = await world.start();
      if (random.below(3) === 0) fake.dropGateway({ isResumable: random.below(2) === 0 });
    }
    while (count < total) write(places[random.below(places.length)]!);
    for (const place of places) await expectAnswersIn(fake, place, written.get(place)!, 40_000);

    await skein.kill();
    const last = await world.start();
    for (const place of places) write(place);
    for (const place of places) {
      await expectAnswersIn(fake, place, written.get(place)!);
      const texts = botTexts(fake, place);
      expect(answeredIn(texts)).toEqual(written.get(place));
      expect(texts.filter((text) => !/^re q-/.test(text))).toEqual([]);
    }
    expect(model.violations).toEqual([]);
    expect(await last.terminate()).toBe(0);
  },
);
