/** Killed, or cut off, while a reply is being sent: people see it once. */
import { expect, test } from 'vitest';
import type { Channel, FakeDiscord } from '../fakes/discord/index.ts';
import { discordWorld } from '../support/discord-app.ts';
import { discordProcesses } from '../support/discord-process.ts';
import { answering, botTexts, expectAnswersIn } from '../support/discord-questions.ts';
import { until } from '../support/until.ts';

const POST = /^POST \/channels\/\d+\/messages$/;
const LOOK = /^GET \/channels\/\d+\/messages$/;
/** Longer than Skein trusts in Discord's memory of a nonce. */
const LATER_MS = 180_000;

test.each(['close', 'reset'] as const)(
  'D7: a reply was posted and its answer cut (%s): it is seen once',
  async (how) => {
    const { fake, general, user, start } = await discordWorld();
    await start({ models: answering() });
    fake.faults.cutAfter(POST, 2, how);
    user.sendMessage(general, 'q-1', { mention: true });
    await fake.waitFor('a whole call', () => fake.journal.of(POST).find(({ status }) => status === 200));
    user.sendMessage(general, 'q-2', { mention: true });
    await expectAnswersIn(fake, general, ['q-1', 'q-2']);
    const nonces = fake.journal.of(POST).map(({ body }) => (body as { nonce: string }).nonce);
    expect(new Set(nonces.slice(0, 3)).size).toBe(1);
    expect(botTexts(fake, general)).toEqual(['re q-1', 're q-2']);
  },
);

test('D7: the answer to a call comes later than anybody waits: the reply is seen once', async () => {
  const { fake, general, user, start } = await discordWorld();
  await start({ models: answering() });
  const gate = fake.faults.holdAfter(POST, 1);
  user.sendMessage(general, 'q-1', { mention: true });
  await gate.reached;
  await fake.waitFor('another call', () => fake.journal.of(POST)[1], 20_000);
  gate.release();
  user.sendMessage(general, 'q-2', { mention: true });
  await expectAnswersIn(fake, general, ['q-1', 'q-2']);
  expect(botTexts(fake, general)).toEqual(['re q-1', 're q-2']);
});

type Hold = 'holdBefore' | 'holdAfter';

/** Asks, kills at the reply's call, and starts again; what the dead process had on the line comes through late. */
async function killAtReply(how: Hold, laterMs: number, fakeOptions = {}) {
  const world = await discordProcesses({ fake: fakeOptions });
  const { fake, general, user } = world;
  const first = await world.start();
  user.sendMessage(general, 'q-1', { mention: true });
  await expectAnswersIn(fake, general, ['q-1']);
  const gate = fake.faults[how](POST, 1);
  const asked = user.sendMessage(general, 'q-2', { mention: true });
  await gate.reached;
  await first.kill();
  fake.faults.clear();
  fake.journal.clear();
  world.passTime(laterMs);
  const skein = await world.start();
  fake.redeliver(asked);
  await expectAnswersIn(fake, general, ['q-1', 'q-2']);
  return { ...world, gate, skein };
}

async function expectThatWasAll(fake: FakeDiscord, general: Channel): Promise<void> {
  await expectAnswersIn(fake, general, ['q-1', 'q-2', 'q-3']);
  expect(botTexts(fake, general)).toEqual(['re q-1', 're q-2', 're q-3']);
}

test.each(['holdBefore', 'holdAfter'] as const)(
  'D7: killed at the call of a reply (%s), soon started again: seen once',
  async (how) => {
    const { fake, general, user, gate, skein, model } = await killAtReply(how, 0);
    gate.release();
    user.sendMessage(general, 'q-3', { mention: true });
    await expectThatWasAll(fake, general);
    expect(model.requests).toHaveLength(3);
    expect(await skein.terminate()).toBe(0);
  },
);

test('D7: killed once a reply was posted, started when Discord has forgotten the nonce: it is looked for, not sent again', async () => {
  const { fake, general, user, skein } = await killAtReply('holdAfter', LATER_MS, { nonceWindowMs: 0 });
  await until(() => fake.journal.of(LOOK).some(({ query }) => query.after !== undefined), { what: 'a look' });
  user.sendMessage(general, 'q-3', { mention: true });
  await expectThatWasAll(fake, general);
  expect(fake.journal.of(POST)).toHaveLength(1);
  expect(await skein.terminate()).toBe(0);
});

test('D7: killed before a reply was posted, started much later: it is looked for in vain and sent', async () => {
  const { fake, general, user, skein } = await killAtReply('holdBefore', LATER_MS, { nonceWindowMs: 0 });
  user.sendMessage(general, 'q-3', { mention: true });
  await expectThatWasAll(fake, general);
  expect(fake.journal.of(POST)).toHaveLength(2);
  expect(await skein.terminate()).toBe(0);
});

test('D7: an equal reply to another message, posted a moment before, is not taken for the one that is missing', async () => {
  const { fake, general, user, model, start, passTime } = await discordProcesses({
    fake: { nonceWindowMs: 0 },
  });
  model.reply(() => ({ type: 'text', text: 'the same words' }));
  const first = await start();
  const one = user.sendMessage(general, 'say it', { mention: true });
  await fake.waitForReply(general, { matching: 'the same words' });
  const gate = fake.faults.holdBefore(POST, 1);
  const two = user.sendMessage(general, 'say it again', { mention: true });
  await gate.reached;
  await first.kill();
  fake.faults.clear();
  passTime(LATER_MS);
  const skein = await start();
  const same = () => fake.visible(general).filter(({ text }) => text === 'the same words');
  await until(() => same().length >= 2, { what: 'both replies', seen: () => fake.visible(general) });
  expect(same().map(({ replyTo }) => replyTo)).toEqual([one.id, two.id]);
  expect(await skein.terminate()).toBe(0);
});

test('D7: killed amid a reply of five parts: all parts are there once, in order', async () => {
  const { fake, general, user, model, start } = await discordProcesses();
  const lines = Array.from({ length: 170 }, (_, n) => `line-${n} of the answer goes on for quite a while.`);
  model.reply(() => ({ type: 'text', text: '', chunks: [lines.join('\n')] }));
  let skein = await start();
  user.sendMessage(general, 'tell me', { mention: true });
  for (const how of ['holdAfter', 'holdBefore', 'holdAfter'] as const) {
    // The next part is met, whichever it is.
    await fake.faults[how](POST, 1).reached;
    await skein.kill();
    fake.faults.clear();
    const gate = fake.faults.holdBefore(POST, 2);
    skein = await start();
    await gate.reached;
    fake.faults.clear();
    gate.release();
  }
  const seen = () =>
    botTexts(fake, general)
      .join('\n')
      .split('\n')
      .filter((line) => line.startsWith('line-'));
  await until(() => seen().length >= lines.length, { what: 'the whole answer', seen });
  expect(seen()).toEqual(lines);
  expect(model.requests).toHaveLength(1);
  expect(await skein.terminate()).toBe(0);
});
