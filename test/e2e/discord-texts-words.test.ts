/** What people read in the course of a day, word for word as it stands in Discord. */
import { expect, test } from 'vitest';
import { APPLICATION_FLAGS, type Channel, type FakeDiscord } from '../fakes/discord/index.ts';
import { createScriptedModels, HOLD, isSubagent, lastText } from '../fakes/scripted-models.ts';
import { delegating, discordWorld } from '../support/discord-app.ts';
import { discordProcesses } from '../support/discord-process.ts';
import { until } from '../support/until.ts';

const flags = APPLICATION_FLAGS.messageContent;

/** Messages of the bot; ids and times, which differ from day to day, are left out. */
const said = (fake: FakeDiscord, channel: Channel): readonly string[] =>
  fake.visible(channel).flatMap(({ author, text, buttons }) => {
    if (author !== 'skein') return [];
    const words = text
      .replaceAll(/<#\d+>/g, '<#thread>')
      .replaceAll(/thread:\d+/g, 'thread:id')
      .replaceAll(/\b\d+s\b/g, '1s')
      .replaceAll(/<t:\d+:R>/g, '<t>')
      .replaceAll(/\b[A-Z2-9]{4}-[A-Z2-9]{4}\b/g, 'CODE');
    return [buttons.length > 0 ? `${words}\n{${buttons.join('} {')}}` : words];
  });

test('a subagent in a thread: its card, its notice, its result, and the end', async () => {
  const { fake, general, user, start } = await discordWorld({ flags });
  await start({ models: createScriptedModels(delegating) });
  user.sendMessage(general, 'delegate moon', { mention: true });
  const thread = await fake.waitForThread({ named: 'moon' });
  await fake.waitForReply(general, { matching: 'delegated' });
  await until(() => said(fake, general)[0]?.startsWith('✅'), { what: 'the card is done' });
  const agents = await user.runCommand(general, '/agents').reply();
  expect(agents.content).toMatch(/^\*\*moon\*\* succeeded \d+s `run_\w{8}` <#\d+> thread:\d+$/);
  await user.runCommand(thread, '/unfocus').reply();
  await fake.waitForReply(thread, { matching: 'no longer' });
  await until(() => said(fake, general)[0]?.endsWith('\n{Details}'), { what: 'nothing is left to unfocus' });
  expect(said(fake, general)).toEqual([
    '✅ **moon** · Done · <#thread>\n-# took 1s · 10 tokens in, 5 out\n{Details}',
    'delegated',
  ]);
  expect(said(fake, thread)).toEqual([
    '**moon** (agent main) is in this thread. What you write here goes to it.\nThis ends after 1d without a message. To leave: `/unfocus`. To change the timers: `/session idle 2h`, `/session max-age 1d`.',
    'echo: [Subagent Task]\nsee to moon',
    '**moon** is no longer in this thread: it was unfocused. To talk to it again here: `/focus moon`.',
  ]);
});

test('without the intent the notice says how to be heard; what is stopped or fails says so', async () => {
  const { fake, general, user, start } = await discordWorld();
  const models = createScriptedModels((request) => {
    if (isSubagent(request)) return HOLD;
    if (lastText(request).includes('fail')) return { failure: { class: 'context-exceeded', message: 'x' } };
    return delegating(request);
  });
  await start({ models });
  user.sendMessage(general, 'delegate moon', { mention: true });
  const thread = await fake.waitForThread({ named: 'moon' });
  await until(() => models.held().length === 1, { what: 'it is at work' });
  const card = await fake.waitForReply(general, { matching: 'Working' });
  await user.clickButton(card, 'Stop').acknowledged();
  await fake.waitForReply(thread, { matching: 'was stopped' });
  user.sendMessage(general, 'fail', { mention: true });
  await fake.waitForReply(general, { matching: 'could not answer' });
  await until(() => said(fake, general)[0]?.startsWith('⏹️'), { what: 'the card says so' });
  expect(said(fake, general)).toEqual([
    '⏹️ **moon** · Stopped · <#thread>\n-# took 1s\n{Unfocus} {Details}',
    'delegated',
    'I could not answer this. This conversation has grown too long for the model. Please go on in a new thread or channel.',
  ]);
  expect(said(fake, thread)).toEqual([
    expect.stringMatching(
      /^\*\*moon\*\* \(agent main\) is in this thread\. Mention me, or reply to one of my messages here, and it goes to it\.\nThis ends /,
    ),
    '**moon** was stopped.',
  ]);
});

test('missed messages are asked about in words with buttons, and the choice takes the place of the question', async () => {
  const world = await discordProcesses({ fake: { flags } });
  const { fake, general, user } = world;
  let skein = await world.start();
  const asked = user.sendMessage(general, '1', { mention: true });
  await fake.waitForReply(general);
  await skein.terminate();
  user.sendMessage(general, '2', { mention: true });
  const newest = user.sendMessage(general, '3', { mention: true });
  world.passTime(3_600_000);
  skein = await world.start();
  const question = await fake.waitForReply(general, { after: newest });
  expect(said(fake, general).at(-1)).toBe(
    '2 messages came in while I was away: answer all, only the newest, or none?\n{All} {Only the newest} {None}',
  );
  await user.clickButton(question, 'None').acknowledged();
  await until(
    () => said(fake, general).at(-1) === '2 messages came in while I was away. I leave them unanswered.',
    {
      what: 'the question is settled',
      seen: () => said(fake, general),
    },
  );
  expect(
    fake.visible(general).filter(({ replyTo }) => replyTo !== undefined && replyTo !== asked.id),
  ).toEqual([]);
  await skein.terminate();
});

test('a stranger is told how to be let in, and what is wrong with a command in one line', async () => {
  const { fake, general, user, start } = await discordWorld({ flags });
  await start();
  user.sendDm('hello');
  await fake.waitForReply(user.dm);
  expect(said(fake, user.dm)).toEqual([
    "I don't know you yet. Your code is CODE; an owner can let you in with `/pair approve CODE`.",
  ]);
  const told = async (line: string, values = {}) =>
    (await user.runCommand(general, line, values).reply()).content;
  expect(await told('/pair approve', { code: 'ABCD-2345' })).toBe('Only an owner may do that.');
  expect(await told('/stop')).toBe('Nothing is running here.');
  expect(await told('/agents')).toBe('Nothing is at work here, and no thread is focused.');
  expect(await told('/session idle', { duration: 'soon' })).toBe(
    'Usage: /session idle [duration] (30m, 2h, 1d or off; a bare number means hours)',
  );
});
