/** Discord from end to end: the real client at a Discord of our own, with scripted models. */
import { expect, test } from 'vitest';
import { APPLICATION_FLAGS } from '../fakes/discord/index.ts';
import { createScriptedModels, HOLD, lastText } from '../fakes/scripted-models.ts';
import { delegating, discordWorld } from '../support/discord-app.ts';
import { until } from '../support/until.ts';

const { messageContent } = APPLICATION_FLAGS;

test('BIND-26, CHAN-09: a subagent gets a thread, hears and answers there, gets a timer and is unfocused', async () => {
  const { fake, general, user, start } = await discordWorld({ flags: messageContent });
  await start({ models: createScriptedModels(delegating) });
  user.sendMessage(general, 'delegate moon', { mention: true });

  const thread = await fake.waitForThread({ parent: general, named: 'moon' });
  await fake.waitForReply(thread, { matching: 'To leave: `/unfocus`' });
  await fake.waitForReply(thread, { matching: 'see to moon' });
  await fake.waitForReply(general, { matching: 'delegated' });

  const asked = user.sendMessage(thread, 'and the far side?');
  const answer = await fake.waitForReply(thread, { after: asked, matching: 'and the far side?' });
  expect(answer.content).toContain('echo:');

  const idle = user.runCommand(thread, '/session idle', { duration: '1h' });
  expect((await idle.reply()).content).toMatch(/^Idle limit: 1h\. Ends /);
  expect(idle.isEphemeral).toBe(true);

  const unfocused = user.runCommand(thread, '/unfocus');
  await fake.waitForReply(thread, { matching: 'no longer in this thread: it was unfocused' });
  expect((await unfocused.reply()).content).toBe('Done.');
  const agents = user.runCommand(general, '/agents');
  expect((await agents.reply()).content).toContain('no thread is focused');
});

test('BIND-23: without Message Content a bound thread hears mentions and replies, and its notice says so', async () => {
  const { fake, general, user, start } = await discordWorld();
  await start({ models: createScriptedModels(delegating) });
  user.sendMessage(general, 'delegate moon', { mention: true });
  const thread = await fake.waitForThread({ parent: general });
  const notice = await fake.waitForReply(thread, { matching: /mention/i });
  const report = await fake.waitForReply(thread, { matching: 'see to moon' });
  expect(BigInt(notice.id)).toBeLessThan(BigInt(report.id));

  user.sendMessage(thread, 'not for you');
  const first = user.sendMessage(thread, 'first', { mention: true });
  await fake.waitForReply(thread, { after: first, matching: 'first' });
  const second = user.sendMessage(thread, 'second', { replyTo: report });
  await fake.waitForReply(thread, { after: second, matching: 'second' });
  expect(
    fake.visible(thread).filter(({ text }) => text.includes('not for you') && text.includes('echo')),
  ).toEqual([]);
});

test('two subagents work in two threads at once, each heard only in its own', async () => {
  const { fake, general, user, start } = await discordWorld({ flags: messageContent });
  await start({ models: createScriptedModels(delegating) });
  user.sendMessage(general, 'delegate moon', { mention: true });
  user.sendMessage(general, 'delegate sun', { mention: true });
  const moon = await fake.waitForThread({ named: 'moon' });
  const sun = await fake.waitForThread({ named: 'sun' });
  await fake.waitForReply(moon, { matching: 'see to moon' });
  await fake.waitForReply(sun, { matching: 'see to sun' });
  user.sendMessage(moon, 'craters');
  user.sendMessage(sun, 'spots');
  await fake.waitForReply(moon, { matching: 'craters' });
  await fake.waitForReply(sun, { matching: 'spots' });
  expect(
    fake
      .visible(moon)
      .map(({ text }) => text)
      .join(),
  ).not.toContain('spots');
  expect(
    fake
      .visible(sun)
      .map(({ text }) => text)
      .join(),
  ).not.toContain('craters');
});

test('the button of a card stops a subagent, and only for who asked for it', async () => {
  const { fake, general, user, start } = await discordWorld();
  const models = createScriptedModels((request) => delegating(request));
  await start({ models });
  const other = fake.addUser({ name: 'bob' });
  user.sendMessage(general, 'delegate moon', { mention: true });
  const card = await fake.waitForReply(general, { matching: '**moon**' });
  const label = await until(() => fake.visible(general).find(({ id }) => id === card.id)?.buttons[0], {
    what: 'a button',
  });
  const refused = other.clickButton(card, label);
  expect((await refused.reply()).content).toContain('for whoever asked');
  expect(refused.isEphemeral).toBe(true);
  const pressed = user.clickButton(card, label);
  await pressed.acknowledged();
  const forged = user.clickCustomId(card, 'something-old');
  expect((await forged.reply()).content).toBe('That button does nothing any more.');
});

test('a stranger’s direct message gets a code, and is heard once an owner has approved it', async () => {
  const { fake, user, start } = await discordWorld();
  await start();
  user.sendDm('hello');
  const told = await fake.waitForReply(user.dm, { matching: /code/i });
  const code = /code is (\S+);/.exec(told.content)![1]!;
  fake.owner.sendDm('hi');
  await fake.waitForReply(fake.owner.dm, { matching: 'hi' });
  const approve = fake.owner.runCommand(fake.owner.dm, '/pair approve', { code });
  await approve.reply();
  user.sendDm('hello again');
  await fake.waitForReply(user.dm, { matching: 'hello again' });
});

test('E-15: readiness tells how each account is doing, and one that is refused stops nothing else', async () => {
  const { fake, general, user, start } = await discordWorld();
  const { url } = await start({ discord: { accounts: { work: { token: 'bm8.no.no' } } } });
  const components = async () =>
    ((await (await fetch(`${url}/readyz`)).json()) as { components: Record<string, string> }).components;
  const refused = await until(
    async () => (await components())['discord:work']?.startsWith('down') && components(),
    {
      what: 'the refusal',
    },
  );
  expect(refused).toMatchObject({ discord: 'ready', webchat: 'ready', store: 'ready' });
  expect(refused['discord:work']).toMatch(/^down: Discord refused the token/);
  user.sendMessage(general, 'hello', { mention: true });
  await fake.waitForReply(general, { matching: 'hello' });
});

test.each([true, false])(
  'X7: a connection that drops amid a run loses and repeats nothing (resumed: %s)',
  async (isResumable) => {
    const { fake, general, user, start } = await discordWorld();
    const models = createScriptedModels((request) =>
      lastText(request).includes('slow') ? HOLD : `echo: ${lastText(request)}`,
    );
    await start({ models });
    user.sendMessage(general, 'slow', { mention: true });
    const held = await until(() => models.held()[0], { what: 'the model' });
    fake.dropGateway({ isResumable });
    const meanwhile = user.sendMessage(general, 'meanwhile', { mention: true });
    models.release(held, 'the slow answer');
    await fake.waitForReply(general, { matching: 'the slow answer' });
    await fake.waitForReply(general, { after: meanwhile, matching: /echo.*meanwhile/s, timeoutMs: 15_000 });
    user.sendMessage(general, 'afterwards', { mention: true });
    await fake.waitForReply(general, { matching: /echo.*afterwards/s });
    const said = fake.visible(general).filter(({ author }) => author === fake.botUser.name);
    expect(said.map(({ text }) => /slow answer|meanwhile|afterwards/.exec(text)?.[0])).toEqual([
      'slow answer',
      'meanwhile',
      'afterwards',
    ]);
  },
);

test('X1 X7: what came in while the process was down is answered once after the next start', async () => {
  const { fake, general, user, start } = await discordWorld();
  const first = await start();
  user.sendMessage(general, 'before', { mention: true });
  await fake.waitForReply(general, { matching: 'before' });
  await first.stop();
  user.sendMessage(general, 'during one', { mention: true });
  user.sendMessage(general, 'past the bot');
  user.sendMessage(general, 'during two', { mention: true });
  await start();
  await fake.waitForReply(general, { matching: 'during two' });
  user.sendMessage(general, 'after', { mention: true });
  await fake.waitForReply(general, { matching: 'after' });
  const heard = fake
    .visible(general)
    .filter(({ author }) => author === fake.botUser.name)
    .flatMap(({ text }) =>
      [...text.matchAll(/before|during one|during two|past the bot|after/g)].map(([w]) => w),
    );
  expect(heard).toEqual(['before', 'during one', 'during two', 'after']);
});
