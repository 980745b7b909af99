/** Mentions that are answered in a thread of their own: what opens one, who is heard in it, and what if there is none. */
import { describe, expect, test } from 'vitest';
import { APPLICATION_FLAGS } from '../fakes/discord/index.ts';
import { discordWorld } from '../support/discord-app.ts';
import { said, settled, spawningWorld, threadsOf } from '../support/discord-threads.ts';

const AUTO = { discord: { autoThread: true } };

test('a mention opens a thread that is named by its words, and follow-ups need none', async () => {
  const { fake, general, user, skein } = await spawningWorld(undefined, AUTO);
  const asked = user.sendMessage(general, 'how deep is the sea?', { mention: true });
  const thread = await fake.waitForThread({ parent: general });
  expect(thread).toMatchObject({ id: asked.id, name: 'how deep is the sea?' });
  await fake.waitForReply(thread, { matching: 'how deep' });
  const more = user.sendMessage(thread, 'and the sky?');
  await fake.waitForReply(thread, { after: more, matching: 'and the sky?' });
  await settled(skein);
  expect(fake.visible(general)).toHaveLength(1);
  expect(threadsOf(fake)).toHaveLength(1);
});

test('what is said without a mention opens none, nor does a command', async () => {
  const { fake, general, user, skein } = await spawningWorld(undefined, {
    discord: { autoThread: true, guilds: { '*': { requireMention: false } } },
  });
  const plain = user.sendMessage(general, 'just so');
  await fake.waitForReply(general, { after: plain, matching: 'just so' });
  const command = user.sendMessage(general, '/status', { mention: true });
  await fake.waitForReply(general, { after: command });
  await settled(skein);
  expect(threadsOf(fake)).toEqual([]);
});

describe('E-3 where no thread can be had', () => {
  test.each([
    ['createPublicThreads', 'Create Public Threads'],
    ['sendMessagesInThreads', 'Send Messages in Threads'],
  ] as const)(
    '%s is missing: each answer comes in the channel, and the reason once',
    async (missing, name) => {
      const { fake, general, user, skein } = await spawningWorld(undefined, AUTO);
      fake.setOverwrites(general, [{ for: { id: fake.botUser.id }, deny: [missing] }]);
      for (const text of ['first', 'second']) {
        const asked = user.sendMessage(general, text, { mention: true });
        await fake.waitForReply(general, { after: asked, matching: `echo: ` });
      }
      await settled(skein);
      expect(said(fake, general).match(new RegExp(`I need “${name}” in #general.`, 'g'))).toHaveLength(1);
      expect(fake.visible(general).filter(({ text }) => text.startsWith('echo'))).toHaveLength(2);
      expect(threadsOf(fake)).toEqual([]);
    },
  );

  test('too many threads are active: the answer comes in the channel, with what to do', async () => {
    const { fake, general, user } = await spawningWorld(undefined, AUTO);
    fake.settings.activeThreadCap = 0;
    user.sendMessage(general, 'hello', { mention: true });
    await fake.waitForReply(general, { matching: 'too many active threads' });
    await fake.waitForReply(general, { matching: 'echo: ' });
  });

  test('a direct message is answered where it is', async () => {
    const { fake, user } = await spawningWorld(undefined, {
      discord: { autoThread: true, dmPolicy: 'open' },
    });
    user.sendDm('hello');
    await fake.waitForReply(user.dm, { matching: 'hello' });
  });
});

describe('threads of the bot, told apart by', () => {
  test('the strict rule of a channel, which beats that of its server; both ways, and absent changes nothing', async () => {
    const world = await discordWorld({ flags: APPLICATION_FLAGS.messageContent });
    const { fake, guild, user } = world;
    const cases = [
      { name: 'strict', server: false, channel: true, hears: false },
      { name: 'loose', server: true, channel: false, hears: true },
      { name: 'inherits', server: true, channel: undefined, hears: false },
    ] as const;
    for (const { name, server, channel, hears } of cases) {
      const place = fake.addChannel(guild, { name });
      const own = channel === undefined ? {} : { threadRequireExplicitMention: channel };
      const guilds = {
        [guild.id]: { threadRequireExplicitMention: server, channels: { [place.id]: own } },
      };
      const skein = await world.start({ discord: { autoThread: true, guilds } });
      user.sendMessage(place, 'hello', { mention: true });
      const thread = await fake.waitForThread({ parent: place });
      await fake.waitForReply(thread, { matching: 'hello' });
      user.sendMessage(thread, 'unmentioned');
      const last = user.sendMessage(thread, 'goodbye', { mention: true });
      await fake.waitForReply(thread, { after: last, matching: 'goodbye' });
      const prompts = JSON.stringify(skein.models.calls.map(({ request }) => request.messages));
      expect([name, prompts.includes('unmentioned')]).toEqual([name, hears]);
      await skein.stop();
    }
  });

  test('the list of who is heard: the relaxed rule lets in nobody else', async () => {
    const { fake, guild, general, user, start } = await discordWorld({
      flags: APPLICATION_FLAGS.messageContent,
    });
    const guilds = { [guild.id]: { users: [user.id] } };
    const { store } = await start({ discord: { autoThread: true, groupPolicy: 'allowlist', guilds } });
    const bob = fake.addUser({ name: 'bob' });
    user.sendMessage(general, 'hello', { mention: true });
    const thread = await fake.waitForThread({ parent: general });
    await fake.waitForReply(thread, { matching: 'hello' });
    bob.sendMessage(thread, 'me too');
    const last = user.sendMessage(thread, 'goodbye');
    await fake.waitForReply(thread, { after: last, matching: 'goodbye' });
    const drops = await store.read.admissions.drops(5);
    expect(drops.map(({ reason, senderId }) => [reason, senderId])).toEqual([['sender-not-allowed', bob.id]]);
  });
});
