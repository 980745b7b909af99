/** What the Discord adapter makes of messages, with the real client at a Discord of our own. */
import { expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import type { InboundMessage } from '../../src/ports/channel.ts';
import { APPLICATION_FLAGS } from '../fakes/discord/index.ts';
import { fakeWithGuild, startAdapter } from '../support/discord-adapter.ts';
import { until } from '../support/until.ts';

const { messageContent } = APPLICATION_FLAGS;

async function heard(messages: readonly InboundMessage[], count = 1): Promise<readonly InboundMessage[]> {
  return until(() => messages.length >= count && messages, {
    what: `${count} messages`,
    seen: () => messages.map(({ text }) => text),
  });
}

test('KEY-21 CHAN-01: a mention in a channel is a message of that channel, without the mention', async () => {
  const { fake, guild, general, user } = await fakeWithGuild();
  const role = fake.addRole(guild, { name: 'crew' });
  fake.addMember(guild, user, [role]);
  const { told } = await startAdapter(fake);
  const sent = user.sendMessage(general, `look at this, <@${user.id}>`, { mention: true });
  const [message] = await heard(told.messages);
  expect(message).toMatchObject({
    address: { channel: 'discord', account: 'default', chatType: 'channel', conversation: general.id },
    eventId: sent.id,
    sender: { id: user.id, name: 'ann', isBot: false },
    text: 'look at this, @ann',
    source: 'message',
    isAddressed: true,
    isMention: true,
    place: { space: guild.id, name: 'Tests #general', roles: [role.id] },
  });
  expect(message!.address).not.toHaveProperty('thread');
  expect(Math.abs(message!.at - Date.now())).toBeLessThan(10_000);
});

test('KEY-21: a message in a thread belongs to the thread of its channel, a forum post to its forum', async () => {
  const { fake, guild, general, user } = await fakeWithGuild();
  const forum = fake.addChannel(guild, { name: 'questions', type: 'forum' });
  const { told } = await startAdapter(fake);
  const thread = user.openThread(user.sendMessage(general, 'a topic'), 'topic');
  user.sendMessage(thread, 'in the thread', { mention: true });
  const post = user.createPost(forum, 'help', { text: 'in the post', mention: true });
  const inThread = await until(() => told.messages.find(({ text }) => text === 'in the thread'), {
    what: 'it',
  });
  expect(inThread.address).toMatchObject({
    conversation: general.id,
    thread: thread.id,
    chatType: 'channel',
  });
  expect(inThread.place).toMatchObject({ isOwnThread: false, name: 'Tests #general' });
  const inPost = await until(() => told.messages.find(({ text }) => text === 'in the post'), { what: 'it' });
  expect(inPost.address).toMatchObject({ conversation: forum.id, thread: post.thread.id });
});

test('C7: only the bot’s own mention and replies to it address it; @everyone and other people do not', async () => {
  const { fake, general, user } = await fakeWithGuild({ flags: messageContent });
  const { told, adapter } = await startAdapter(fake);
  const { messageId } = await adapter.send({
    id: 'p1',
    address: { channel: 'discord', account: 'default', chatType: 'channel', conversation: general.id },
    text: 'I said this',
  });
  const ours = fake.messages(general).find(({ id }) => id === messageId)!;
  user.sendMessage(general, '@everyone come');
  user.sendMessage(general, `<@${user.id}> me`);
  user.sendMessage(general, 'with a sound', { replyTo: ours });
  user.sendMessage(general, 'without one', { replyTo: ours, pingReply: false });
  user.sendMessage(general, 'by name', { mention: true });
  const messages = await heard(told.messages, 5);
  expect(messages.map(({ text, isAddressed, isMention }) => [text, isAddressed, isMention])).toEqual([
    ['@everyone come', false, false],
    ['@ann me', false, false],
    ['with a sound', true, false],
    ['without one', true, false],
    ['by name', true, true],
  ]);
  expect(messages[2]!.quote).toEqual({ author: fake.botUser.name, isBot: true, text: 'I said this' });
});

test('Q3 D9: only what somebody says is a message; notices, edits, deletions and own messages are not', async () => {
  const { fake, general, user } = await fakeWithGuild({ flags: messageContent });
  const { told, adapter } = await startAdapter(fake);
  const address = {
    channel: 'discord',
    account: 'default',
    chatType: 'channel',
    conversation: general.id,
  } as const;
  await adapter.send({ id: 'p1', address, text: 'mine' });
  const first = user.sendMessage(general, 'one');
  for (const type of [6, 7, 8, 18]) fake.postSystemMessage({ channel: general, author: user, type });
  user.editMessage(first, 'one, better');
  fake.owner.pin(first);
  const thread = user.openThread(first, 'a thread');
  user.renameThread(thread, 'another name');
  user.deleteMessage(user.sendMessage(general, 'two'));
  user.sendMessage(general, 'three');
  await heard(told.messages, 3);
  expect(told.messages.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
});

test('a direct message is addressed to the bot, and says so of itself', async () => {
  const { fake, user } = await fakeWithGuild();
  const { told } = await startAdapter(fake);
  user.sendDm('hello');
  const [message] = await heard(told.messages);
  expect(message).toMatchObject({
    address: { chatType: 'direct', conversation: user.dm.id },
    text: 'hello',
    isAddressed: true,
    isMention: false,
  });
});

test('files of somebody who is not heard are named, and not fetched', async () => {
  const { fake, user } = await fakeWithGuild();
  const asked: unknown[] = [];
  const { told } = await startAdapter(fake, {
    handlers: {
      mayTalk: async ({ sender, files }) => {
        asked.push([sender.name, files?.map(({ name }) => name)]);
        return false;
      },
    },
  });
  user.sendDm('', { attachments: [{ name: 'notes.txt', bytes: 'psst' }] });
  user.sendDm('without files');
  const [message] = await heard(told.messages, 2);
  expect(asked).toEqual([['ann', ['notes.txt']]]);
  expect(message!.files).toEqual([{ name: 'notes.txt', refused: expect.stringContaining('send it again') }]);
  expect(fake.journal.of(/GET \/attachments/)).toEqual([]);
});

test('files that can be read are fetched, others are named with the reason', async () => {
  const { fake, user } = await fakeWithGuild();
  const { told } = await startAdapter(fake);
  fake.faults.fail(/GET \/attachments\/.*broken/);
  user.sendDm('look', {
    attachments: [
      { name: 'notes.txt', bytes: 'one line' },
      { name: 'song.mp3', bytes: 'la la' },
      { name: 'huge.txt', bytes: 'x'.repeat(300 * 1024) },
    ],
  });
  const [message] = await heard(told.messages);
  expect(message!.files).toEqual([
    { name: 'notes.txt', mediaType: expect.stringContaining('text/plain'), bytes: expect.any(Uint8Array) },
    { name: 'song.mp3', refused: expect.stringContaining('only read pictures') },
    { name: 'huge.txt', refused: 'it is larger than 256 KiB' },
  ]);
  const [notes] = message!.files!;
  expect('bytes' in notes! && new TextDecoder().decode(notes.bytes)).toBe('one line');
});

test('E-7: places do not wait for each other, and within one the order stays while the store is busy', async () => {
  const { fake, guild, general, user } = await fakeWithGuild({ flags: messageContent });
  const other = fake.addChannel(guild, { name: 'other', type: 'text' });
  const seen: string[] = [];
  let isBusy = true;
  await startAdapter(fake, {
    handlers: {
      message: async ({ text }) => {
        if (isBusy && text === 'first') throw new AppError('store-busy', 'busy');
        seen.push(text);
        return { status: 'dropped', reason: 'not-addressed' };
      },
    },
  });
  user.sendMessage(general, 'first');
  user.sendMessage(general, 'second');
  user.sendMessage(other, 'elsewhere');
  await until(() => seen.length === 1, { what: 'the other place' });
  expect(seen).toEqual(['elsewhere']);
  isBusy = false;
  await until(() => seen.length === 3, { what: 'the rest' });
  expect(seen).toEqual(['elsewhere', 'first', 'second']);
});

test('the answer to a typed command is one message, however often it is given, and long ones are several', async () => {
  const { fake, general, user } = await fakeWithGuild();
  await startAdapter(fake, {
    handlers: {
      message: async (message) => {
        await message.reply({ text: `${'a'.repeat(1_500)}\n\n${'b'.repeat(1_500)}` });
        await message.reply({ text: `${'a'.repeat(1_500)}\n\n${'b'.repeat(1_500)}` });
        return { status: 'command', command: 'help' };
      },
    },
  });
  const asked = user.sendMessage(general, '/help', { mention: true });
  await fake.waitForReply(general, { matching: 'bbb' });
  user.sendMessage(general, '/help', { mention: true });
  await until(() => fake.visible(general).filter(({ text }) => text.startsWith('bbb')).length === 2, {
    what: 'the second answer',
  });
  const answers = fake.visible(general).filter(({ author }) => author === fake.botUser.name);
  expect(answers.map(({ text }) => text[0])).toEqual(['a', 'b', 'a', 'b']);
  expect(answers[0]!.replyTo).toBe(asked.id);
});

test('an answer that cannot go out now goes out later, and what is said next does not wait for it', async () => {
  const { fake, general, user } = await fakeWithGuild();
  const seen: string[] = [];
  await startAdapter(fake, {
    handlers: {
      message: async (message) => {
        seen.push(message.text);
        if (message.text === '/status') await message.reply({ text: 'all is well' });
        return { status: 'command', command: 'status' };
      },
    },
  });
  fake.faults.fail(/^POST \/channels\/\d+\/messages/, { status: 503 }, 1);
  user.sendMessage(general, '/status', { mention: true });
  user.sendMessage(general, 'next', { mention: true });
  await until(() => seen.length === 2, { what: 'both' });
  await fake.waitForReply(general, { matching: 'all is well' });
});
