/** The line to Discord breaks while things are under way: nothing that was said is lost, and nothing is answered twice. */
import { expect, test } from 'vitest';
import { APPLICATION_FLAGS } from '../fakes/discord/index.ts';
import { createScriptedModels, HOLD, isSubagent, lastText } from '../fakes/scripted-models.ts';
import { delegating, discordWorld } from '../support/discord-app.ts';
import { answerAsked, answering, botTexts, expectAnswersIn } from '../support/discord-questions.ts';
import { until } from '../support/until.ts';

const { messageContent } = APPLICATION_FLAGS;

/** Questions are answered when the test releases them. */
const holding = () => createScriptedModels((request) => (isSubagent(request) ? answerAsked(request) : HOLD));

test('X7: the gateway drops amid a run and is resumed: the run is answered once, and so is what was said meanwhile', async () => {
  const { fake, guild, general, user, start } = await discordWorld();
  const elsewhere = fake.addChannel(guild, { name: 'elsewhere' });
  const models = holding();
  await start({ models });
  user.sendMessage(general, 'q-1', { mention: true });
  const first = await until(() => models.held()[0], { what: 'the run is under way' });
  fake.pauseGateway();
  user.sendMessage(elsewhere, 'q-2', { mention: true });
  models.release(first, 're q-1');
  await expectAnswersIn(fake, general, ['q-1']);
  fake.resumeGateway();
  const second = await until(() => models.held()[0], { what: 'the one from meanwhile' });
  models.release(second, 're q-2');
  await expectAnswersIn(fake, elsewhere, ['q-2']);
  expect(fake.gateway.resumes).toHaveLength(1);
  expect(fake.gateway.identifies).toHaveLength(1);
  expect(models.calls).toHaveLength(2);
  expect(botTexts(fake, general)).toEqual(['re q-1']);
});

test('X7: after a drop a new session begins: what was written in a bound thread is answered once, in order', async () => {
  const { fake, general, user, start } = await discordWorld({ flags: messageContent });
  const other = fake.addUser({ name: 'other bot', isBot: true });
  const models = createScriptedModels((request) => {
    const said = delegating(request);
    return typeof said === 'string' && lastText(request).includes('q-') ? answerAsked(request) : said;
  });
  await start({ models });
  user.sendMessage(general, 'delegate moon', { mention: true });
  const thread = await fake.waitForThread({ parent: general });
  await fake.waitForReply(thread, { matching: 'see to moon' });
  user.sendMessage(thread, 'q-0');
  await expectAnswersIn(fake, thread, ['q-0']);
  await fake.waitForReply(general, { matching: 'delegated' });

  fake.pauseGateway();
  fake.dropGateway({ isResumable: false });
  const [m1, m2] = ['q-1', 'q-2'].map((text) => user.sendMessage(thread, text));
  other.sendMessage(thread, 'q-3');
  user.sendMessage(general, 'q-4');
  user.sendMessage(general, 'q-5', { mention: true });
  const callsBefore = models.calls.length;
  fake.resumeGateway();
  await fake.waitForGateway();
  user.sendMessage(thread, 'q-6');
  await expectAnswersIn(fake, thread, ['q-0', 'q-1', 'q-2', 'q-6']);
  await expectAnswersIn(fake, general, ['q-5']);
  expect(fake.gateway.identifies).toHaveLength(2);
  // The event comes late after all.
  fake.redeliver(m1!);
  fake.redeliver(m2!);
  user.sendMessage(thread, 'q-7');
  await expectAnswersIn(fake, thread, ['q-0', 'q-1', 'q-2', 'q-6', 'q-7']);
  expect(models.calls.length - callsBefore).toBeLessThanOrEqual(5);
});

test('X7: amid a run a new session begins: the answer comes once', async () => {
  const { fake, general, user, start } = await discordWorld();
  const models = holding();
  await start({ models });
  user.sendMessage(general, 'q-1', { mention: true });
  const first = await until(() => models.held()[0], { what: 'the run is under way' });
  fake.dropGateway({ isResumable: false });
  await fake.waitFor('a new session', () => fake.gateway.identifies[1]);
  models.release(first, 're q-1');
  await expectAnswersIn(fake, general, ['q-1']);
  user.sendMessage(general, 'q-2', { mention: true });
  const next = await until(() => models.held()[0], { what: 'the next run' });
  models.release(next, 're q-2');
  await expectAnswersIn(fake, general, ['q-1', 'q-2']);
  expect(models.calls).toHaveLength(2);
});

test('E-7: an event that comes twice is answered once, also when it comes again after a restart', async () => {
  const { fake, general, user, start } = await discordWorld();
  const first = await start({ models: answering() });
  const asked = user.sendMessage(general, 'q-1', { mention: true });
  fake.redeliver(asked);
  await expectAnswersIn(fake, general, ['q-1']);
  fake.redeliver(asked);
  await first.stop();

  const models = answering();
  await start({ models });
  fake.redeliver(asked);
  user.sendMessage(general, 'q-2', { mention: true });
  await expectAnswersIn(fake, general, ['q-1', 'q-2']);
  expect(models.calls).toHaveLength(1);
  expect(botTexts(fake, general)).toEqual(['re q-1', 're q-2']);
});

test('Discord asks to reconnect: the session goes on, and nothing is lost', async () => {
  const { fake, general, user, start } = await discordWorld();
  await start({ models: answering() });
  fake.gateway.askReconnect();
  user.sendMessage(general, 'q-1', { mention: true });
  await expectAnswersIn(fake, general, ['q-1']);
  await fake.waitFor('a resume', () => fake.gateway.resumes[0]);
  user.sendMessage(general, 'q-2', { mention: true });
  await expectAnswersIn(fake, general, ['q-1', 'q-2']);
  expect(fake.gateway.identifies).toHaveLength(1);
});
