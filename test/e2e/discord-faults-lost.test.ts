/** Discord takes a message late, or never: nothing is lost in silence, and nothing comes twice or in another order. */
import { expect, test } from 'vitest';
import { APPLICATION_FLAGS } from '../fakes/discord/index.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { chatScript } from '../support/chat-script.ts';
import { discordWorld } from '../support/discord-app.ts';
import { answerAsked, answering, botTexts, expectAnswersIn } from '../support/discord-questions.ts';
import { until } from '../support/until.ts';

const { messageContent } = APPLICATION_FLAGS;
const POST = /^POST \/channels\/\d+\/messages$/;

/** A subagent without a thread is at work; its end is announced where it was asked for. */
async function withSubagent() {
  const world = await discordWorld();
  const { fake, general, user } = world;
  const started = await world.start({ models: createScriptedModels(chatScript) });
  user.sendMessage(general, 'spawn slow child', { mention: true });
  await fake.waitForReply(general, { matching: 'started' });
  const { models } = started;
  await until(() => models.held()[0], { what: 'the subagent is at work' });
  return { ...world, ...started, finish: () => models.release(models.held()[0]!, 'CHILD-RESULT') };
}

test('L1: an announcement is cut off, then meets an outage, and is delivered once', async () => {
  const { fake, general, user, finish } = await withSubagent();
  fake.faults.cutBefore(POST, 1);
  fake.faults.fail(POST, { status: 503, body: '<html>503</html>' }, 1);
  finish();
  await fake.waitForReply(general, { matching: 'heard of slow child' });
  user.sendMessage(general, 'ping', { mention: true });
  await fake.waitForReply(general, { matching: 're: ping' });
  expect(botTexts(fake, general)).toEqual(['started', 'heard of slow child', 're: ping']);
  const info = user.runCommand(general, '/subagents info', { target: '1' });
  expect((await info.reply()).content).toContain('Result: delivered');
});

test('L1, L6: an announcement that Discord refuses for good is kept, and shown as undelivered', async () => {
  const { fake, general, user, finish, store } = await withSubagent();
  const blocked = { status: 400, code: 200_000, message: 'Message was blocked by automatic moderation' };
  fake.faults.fail(POST, blocked, 1);
  finish();
  await until(async () => (await store.read.operations.counts()).failed === 1, { what: 'the refusal' });
  const info = user.runCommand(general, '/subagents info', { target: '1' });
  expect((await info.reply()).content).toMatch(/Result: undelivered \(.*\)\. It is kept/);
  const [operation] = await store.read.operations.failed(1);
  expect(operation?.call).toMatchObject({ text: 'heard of slow child' });
  expect(operation?.error?.hint).toContain('AutoMod');
  user.sendMessage(general, 'ping', { mention: true });
  await fake.waitForReply(general, { matching: 're: ping' });
  expect(fake.journal.of(POST).filter(({ status }) => status === 400)).toHaveLength(1);
});

test('L3: eight subagents in threads end at once: each is answered in its own, and none stays at work', async () => {
  const { fake, general, user, start } = await discordWorld({ flags: messageContent });
  const { models, store } = await start({
    models: createScriptedModels(chatScript),
    config: { agents: { defaults: { subagents: { maxChildrenPerAgent: 8, maxConcurrent: 8 } } } },
  });
  const names = Array.from('abcdefgh', (letter) => `slow ${letter}`);
  user.sendMessage(general, `spawn thread ${names.join(', ')}`, { mention: true });
  await until(() => models.held().length === 8, { what: 'all are at work' });
  for (const call of models.held()) models.release(call, 'done');
  for (const name of names) {
    const thread = await fake.waitForThread({ parent: general, named: name });
    await fake.waitForReply(thread, { matching: 'done' });
    expect(botTexts(fake, thread).filter((text) => text === 'done')).toHaveLength(1);
  }
  const cards = () => botTexts(fake, general).filter((text) => /\*\*slow [a-h]\*\*/.test(text));
  await until(() => cards().filter((text) => /done/i.test(text)).length === 8, {
    what: 'all cards say so',
    seen: cards,
  });
  expect(cards()).toHaveLength(8);
  expect(await store.read.runs.allActive(50)).toEqual([]);
});

test('L5: Discord is away for a while: everything is delivered afterwards, in order', async () => {
  const { fake, guild, general, user, start } = await discordWorld();
  const other = fake.addChannel(guild, { name: 'other' });
  await start({
    models: answering(),
    // Each question gets an answer of its own.
    config: { messages: { queue: { mode: 'followup' } } },
  });
  fake.faults.cutBefore(/./, undefined, 'reset');
  for (const n of [1, 2, 3]) user.sendMessage(general, `q-${n}`, { mention: true });
  user.sendMessage(other, 'q-4', { mention: true });
  await until(() => fake.journal.of(POST).length >= 6, { what: 'three attempts in both channels' });
  expect(botTexts(fake, general)).toEqual([]);
  fake.faults.clear();
  await expectAnswersIn(fake, general, ['q-1', 'q-2', 'q-3'], 30_000);
  await expectAnswersIn(fake, other, ['q-4']);
  expect(botTexts(fake, general)).toEqual(['re q-1', 're q-2', 're q-3']);
});

test.each([
  [403, 50_013],
  [404, 10_003],
  [400, 50_035],
])(
  'L5: what Discord refuses with %i for ever is tried seldom and holds up no other channel',
  async (status, code) => {
    const { fake, guild, general, user, start } = await discordWorld();
    const other = fake.addChannel(guild, { name: 'other' });
    const { store } = await start({ models: answering() });
    const there = new RegExp(`^POST /channels/${general.id}/messages$`);
    fake.faults.fail(there, { status, code });
    user.sendMessage(general, 'q-1', { mention: true });
    user.sendMessage(other, 'q-2', { mention: true });
    await expectAnswersIn(fake, other, ['q-2']);
    await until(async () => (await store.read.operations.counts()).failed > 0, { what: 'the refusal' });
    const [operation] = await store.read.operations.failed(1);
    expect(operation?.error?.message).toContain(String(code));
    expect(fake.journal.of(there).length).toBeLessThanOrEqual(3);
  },
);

test('L6: the bot may no longer write in a thread when the subagent ends: one notice where it was asked for', async () => {
  const { fake, general, user, start } = await discordWorld({ flags: messageContent });
  const { models } = await start({ models: createScriptedModels(chatScript) });
  user.sendMessage(general, 'spawn thread slow dig', { mention: true });
  const thread = await fake.waitForThread({ parent: general });
  await fake.waitForReply(thread, { matching: '/unfocus' });
  await until(() => models.held()[0], { what: 'the subagent is at work' });
  const deny = ['sendMessagesInThreads'] as const;
  fake.setOverwrites(general, [{ for: 'everyone', deny }]);
  fake.journal.clear();
  models.release(models.held()[0]!, 'found it');
  const notice = await fake.waitForReply(general, { matching: '**slow dig** has answered in' });
  expect(notice.content).toContain(`<#${thread.id}>`);
  expect(notice.content).toContain('I may not write there');
  const there = new RegExp(`^POST /channels/${thread.id}/messages$`);
  expect(fake.journal.of(there).length).toBeLessThanOrEqual(2);
  expect(botTexts(fake, general).join()).not.toContain('found it');

  fake.setOverwrites(general, []);
  user.sendMessage(thread, 'are you there?');
  await fake.waitForReply(thread, { matching: 'are you there' });
  expect(JSON.stringify(models.calls.at(-1)!.request.messages)).toContain('could not be delivered');
});

test('L7: 25 messages in a busy thread are all answered in order, and who wrote them is told that they are many', async () => {
  const { fake, general, user, start } = await discordWorld({ flags: messageContent });
  const models = createScriptedModels((request) => {
    const said = chatScript(request);
    return JSON.stringify(request.messages).includes('q-') && typeof said === 'string'
      ? answerAsked(request)
      : said;
  });
  await start({ models });
  user.sendMessage(general, 'spawn thread slow dig', { mention: true });
  const thread = await fake.waitForThread({ parent: general });
  await until(() => models.held()[0], { what: 'the subagent is at work' });
  const questions = Array.from({ length: 25 }, (_, n) => `q-${n}`);
  for (const question of questions) user.sendMessage(thread, question);
  await fake.waitForReply(thread, { matching: 'More than 20 messages are waiting here' });
  models.release(models.held()[0]!, 'found it');
  await expectAnswersIn(fake, thread, questions);
  const told = botTexts(fake, thread).filter((text) => text.includes('More than 20'));
  expect(told).toHaveLength(1);
});
