/** Several bots of one gateway: each answers what it hears itself, even where Discord gives both the same ids. */
import { expect, onTestFinished, test } from 'vitest';
import {
  APPLICATION_FLAGS,
  type Channel,
  type FakeDiscord,
  startFakeDiscord,
} from '../fakes/discord/index.ts';
import { createScriptedModels, HOLD, type Script } from '../fakes/scripted-models.ts';
import { delegating, discordWorld } from '../support/discord-app.ts';
import { until } from '../support/until.ts';

/** Two Discords that make the same ids, each with a bot of the one gateway. */
async function twins(discord: Record<string, unknown> = {}, script: Script = delegating) {
  const startedAt = Date.now();
  const options = { now: () => startedAt, flags: APPLICATION_FLAGS.messageContent };
  const first = await discordWorld(options);
  const fake = await startFakeDiscord(options);
  onTestFinished(async () => {
    await fake.stop();
    expect(fake.violations).toEqual([]);
  });
  const guild = fake.addGuild({ name: 'Tests' });
  const second = {
    fake,
    guild,
    general: fake.channel(guild, 'general'),
    user: fake.addUser({ name: 'ann' }),
  };
  const { token, apiUrl } = fake;
  const models = createScriptedModels(script);
  const app = await first.start({ models, discord: { ...discord, accounts: { work: { token, apiUrl } } } });
  await fake.waitForGateway();
  const isLast = ({ definition }: { definition: Record<string, unknown> }) => definition.name === 'help';
  await until(() => [...fake.world.commands.values()].some(isLast), { what: 'the slash commands' });
  return { first, second, models, app };
}

const said = ({ fake, general }: { fake: FakeDiscord; general: Channel }) =>
  fake.visible(general).flatMap(({ author, text }) => (author === 'skein' ? text : []));

test('each account answers its own, though servers, channels, people and messages have the same ids', async () => {
  const { first, second, app } = await twins();
  expect([second.guild.id, second.general.id, second.user.id]).toEqual([
    first.guild.id,
    first.general.id,
    first.user.id,
  ]);
  const one = first.user.sendMessage(first.general, 'one', { mention: true });
  const two = second.user.sendMessage(second.general, 'two', { mention: true });
  expect(two.id).toBe(one.id);
  await first.fake.waitForReply(first.general, { matching: 'one' });
  await second.fake.waitForReply(second.general, { matching: 'two' });
  await app.stop();
  expect([said(first).length, said(second).length]).toEqual([1, 1]);
});

test('two bots in one channel know of the same conversation, and each says itself what it was asked', async () => {
  const { first, second, models, app } = await twins({}, () => HOLD);
  first.user.sendMessage(first.general, 'one', { mention: true });
  await until(() => models.held().length === 1, { what: 'the first answer begins' });
  second.user.sendMessage(second.general, 'two', { mention: true });
  await second.user.runCommand(second.general, '/status').reply();
  models.release(models.held()[0]!, 'to one');
  await first.fake.waitForReply(first.general, { matching: 'to one' });
  await until(() => models.held().length === 1, { what: 'the second answer begins' });
  models.release(models.held()[0]!, 'to two');
  await second.fake.waitForReply(second.general, { matching: 'to two' });
  await app.stop();
  expect([said(first), said(second)]).toEqual([['to one'], ['to two']]);
});

test('BIND: threads with the same id under two accounts are bound and unbound each for itself', async () => {
  const { first, second } = await twins();
  const threads = [];
  for (const { fake, user, general } of [first, second]) {
    user.sendMessage(general, 'delegate moon', { mention: true });
    const thread = await fake.waitForThread({ named: 'moon' });
    await fake.waitForReply(thread, { matching: 'see to moon' });
    await fake.waitForReply(general, { matching: 'delegated' });
    threads.push(thread);
  }
  const [here, there] = threads;
  expect(there!.id).toBe(here!.id);
  await first.user.runCommand(here!, '/unfocus').reply();
  await first.fake.waitForReply(here!, { matching: 'no longer in this thread' });
  second.user.sendMessage(there!, 'still here?');
  await second.fake.waitForReply(there!, { matching: 'still here?' });
  expect(
    second.fake
      .visible(there!)
      .map(({ text }) => text)
      .join(),
  ).not.toContain('no longer');
});

test('an account inherits the rules of the channel and replaces those that it names', async () => {
  const { first, second, models, app } = await twins({ groupPolicy: 'disabled' });
  first.user.sendMessage(first.general, 'one', { mention: true });
  second.user.sendMessage(second.general, 'two', { mention: true });
  await second.fake.owner.runCommand(second.general, '/status').reply();
  await first.fake.owner.runCommand(first.general, '/status').reply();
  await app.stop();
  expect(models.calls).toEqual([]);
});

test('one account whose token is refused keeps the other from nothing', async () => {
  const { first, second } = await twins();
  second.fake.revokeToken();
  first.user.sendMessage(first.general, 'one', { mention: true });
  await first.fake.waitForReply(first.general, { matching: 'one' });
  expect(said(second)).toEqual([]);
});
