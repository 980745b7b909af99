/** Discord says “too many”: what was to be said is said all the same, once and in order, and holds up nobody else. */
import { expect, test } from 'vitest';
import type { Channel, FakeDiscord } from '../fakes/discord/index.ts';
import { createScriptedModels, lastText } from '../fakes/scripted-models.ts';
import { discordWorld } from '../support/discord-app.ts';
import { answering, botTexts, expectAnswersIn } from '../support/discord-questions.ts';
import { until } from '../support/until.ts';

const LINES = 180;
/** About 9,000 characters: five messages. */
const lines = (word: string) =>
  Array.from({ length: LINES }, (_, n) => `${word}-${n} is a line of the long answer, told in order.`);

const telling = () =>
  createScriptedModels((request) => lines(/tell (\w+)/.exec(lastText(request))?.[1] ?? 'x').join('\n'));

const linesIn = (fake: FakeDiscord, channel: Channel) =>
  botTexts(fake, channel)
    .join('\n')
    .split('\n')
    .filter((line) => /^\w+-\d+ is/.test(line));

const posts = (channel: Channel) => new RegExp(`^POST /channels/${channel.id}/messages$`);

test('G1, E-8: two answers of five parts arrive whole, in order and once, though every second call is refused', async () => {
  const { fake, general, user, start } = await discordWorld();
  await start({ models: telling() });
  fake.rateLimits.refuse({ call: posts(general), retryAfterMs: 300, every: 2, times: 100 });
  user.sendMessage(general, 'tell alpha', { mention: true });
  await until(() => linesIn(fake, general).length >= LINES, { what: 'the first answer' });
  user.sendMessage(general, 'tell beta', { mention: true });
  await until(() => linesIn(fake, general).length >= 2 * LINES, { what: 'both answers' });

  expect(linesIn(fake, general)).toEqual([...lines('alpha'), ...lines('beta')]);
  expect(botTexts(fake, general)).toHaveLength(10);
  const calls = fake.journal.of(posts(general));
  expect(calls.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(9);
  for (const [n, { status, at }] of calls.entries()) {
    if (status === 429) expect(calls[n + 1]!.at - at).toBeGreaterThanOrEqual(295);
  }
});

test('G1: while channels wait for their limits, the others are answered at once', async () => {
  const { fake, guild, user, start } = await discordWorld();
  const busy = Array.from({ length: 12 }, (_, n) => fake.addChannel(guild, { name: `busy-${n}` }));
  const quiet = fake.addChannel(guild, { name: 'quiet' });
  await start({ models: answering() });
  for (const channel of busy) fake.rateLimits.refuse({ call: posts(channel), retryAfterMs: 4_000 });
  for (const channel of busy) user.sendMessage(channel, 'q-1', { mention: true });
  await until(() => fake.rateLimits.invalidRequests >= 8, { what: 'refusals' });
  const asked = user.sendMessage(quiet, 'q-2', { mention: true });
  const reply = await fake.waitForReply(quiet, { matching: 're q-2' });
  expect(reply.at - asked.at).toBeLessThan(2_000);
  for (const channel of busy) await expectAnswersIn(fake, channel, ['q-1']);
  for (const channel of busy) expect(botTexts(fake, channel)).toEqual(['re q-1']);
});

test('G1: a global limit of five seconds holds up everything, loses nothing and doubles nothing', async () => {
  const { fake, guild, general, user, start } = await discordWorld();
  const other = fake.addChannel(guild, { name: 'other' });
  await start({ models: answering() });
  fake.rateLimits.refuse({ call: /^POST .*messages$/, retryAfterMs: 5_000, scope: 'global' });
  user.sendMessage(general, 'q-1', { mention: true });
  const refused = await fake.waitFor('the refusal', () =>
    fake.journal.entries.find(({ status }) => status === 429),
  );
  user.sendMessage(other, 'q-2', { mention: true });
  user.sendMessage(general, 'q-3', { mention: true });
  await expectAnswersIn(fake, general, ['q-1', 'q-3']);
  await expectAnswersIn(fake, other, ['q-2']);
  const after = fake.journal.entries.filter(({ number }) => number > refused.number);
  expect(Math.min(...after.map(({ at }) => at)) - refused.at).toBeGreaterThanOrEqual(4_990);
  expect(botTexts(fake, general)).toHaveLength(2);
});
