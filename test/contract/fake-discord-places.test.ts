/** Threads, forums, permissions and files of the fake Discord, seen through the real client. */
import { ChannelType, Events, type ForumChannel, GatewayIntentBits } from 'discord.js';
import { expect, test } from 'vitest';
import { codeOf, connect, fakeDiscord, textChannel } from '../support/discord-client.ts';

test('a message in an archived thread opens it again; edits there are refused, and locked ones stay shut', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const client = await connect(fake);
  const updates: (boolean | null)[] = [];
  client.on(Events.ThreadUpdate, (_old, thread) => updates.push(thread.archived));
  const channel = await textChannel(client, fake.channel(guild, 'general').id);
  const live = await channel.threads.create({ name: 'work', type: ChannelType.PublicThread });
  const thread = await fake.waitForThread({ named: 'work' });
  const first = await live.send('first');
  fake.owner.archiveThread(thread);
  expect(await codeOf(first.edit('changed'))).toBe(50083);
  expect(await codeOf(first.react('👍'))).toBe(50083);
  await live.send('second');
  expect(thread.thread.isArchived).toBe(false);
  await expect.poll(() => updates).toEqual([true, false]);
  fake.owner.lockThread(thread);
  expect(await codeOf(live.send('third'))).toBe(50083);
  fake.owner.unarchiveThread(thread);
  expect(await codeOf(live.send('third'))).toBe(160005);
  fake.owner.deleteThread(thread);
  expect(await codeOf(live.send('fourth'))).toBe(10003);
});

test('writing in threads is a permission of its own, taken from the parent', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const client = await connect(fake);
  const general = fake.channel(guild, 'general');
  const channel = await textChannel(client, general.id);
  const card = await channel.send('card');
  const thread = await card.startThread({ name: 'work' });
  fake.setOverwrites(general, [{ for: fake.botUser, deny: ['sendMessages'] }]);
  expect(await codeOf(channel.send('x'))).toBe(50013);
  expect(await codeOf(thread.send('x'))).toBe('no error');
  fake.setOverwrites(general, [
    { for: fake.botUser, deny: ['sendMessagesInThreads', 'createPublicThreads'] },
  ]);
  expect(await codeOf(thread.send('x'))).toBe(50013);
  const next = await channel.send('next');
  expect(await codeOf(next.startThread({ name: 'no' }))).toBe(50013);
  fake.setOverwrites(general, [{ for: 'everyone', deny: ['viewChannel'] }]);
  expect(await codeOf(channel.send('x'))).toBe(50001);
  fake.setOverwrites(general, [
    { for: 'everyone', deny: ['viewChannel'] },
    { for: fake.botUser, allow: ['viewChannel'] },
  ]);
  expect(await codeOf(channel.send('x'))).toBe('no error');
});

test('a forum takes posts only, with a tag where one is needed', async () => {
  const fake = await fakeDiscord({ activeThreadCap: 1 });
  const guild = fake.addGuild({
    name: 'Tests',
    channels: [
      { name: 'help', type: 'forum', tags: ['open'], needsTag: true },
      { name: 'talk', type: 'voice' },
    ],
  });
  const client = await connect(fake);
  const help = fake.channel(guild, 'help');
  const forum = (await client.channels.fetch(help.id)) as ForumChannel;
  const post = { name: 'question', message: { content: 'why?' } };
  expect(await codeOf(client.rest.post(`/channels/${help.id}/messages`, { body: { content: 'x' } }))).toBe(
    50008,
  );
  expect(await codeOf(forum.threads.create(post))).toBe(40067);
  const thread = await forum.threads.create({ ...post, appliedTags: [help.tags[0]!.id] });
  expect((await thread.fetchStarterMessage())?.content).toBe('why?');
  expect((await thread.fetchStarterMessage())?.id).toBe(thread.id);
  expect(await codeOf(forum.threads.create({ ...post, appliedTags: [help.tags[0]!.id] }))).toBe(160006);
  const talk = fake.channel(guild, 'talk');
  const body = { name: 'no', type: 11 };
  expect(await codeOf(client.rest.post(`/channels/${talk.id}/threads`, { body }))).toBe(50024);
  expect(fake.violations).toEqual([]);
});

test('files travel both ways, and one that is too large is refused', async () => {
  const fake = await fakeDiscord({ maxFileBytes: 100 });
  const guild = fake.addGuild({ name: 'Tests' });
  const ada = fake.addUser({ name: 'Ada' });
  const general = fake.channel(guild, 'general');
  const client = await connect(fake);
  const urls: string[] = [];
  client.on(Events.MessageCreate, (message) => urls.push(...message.attachments.map(({ url }) => url)));
  ada.sendMessage(general, 'look', { mention: true, attachments: [{ name: 'a b.txt', bytes: 'words' }] });
  await expect.poll(() => urls).toHaveLength(1);
  const served = await fetch(urls[0]!);
  expect(await served.text()).toBe('words');
  const channel = await textChannel(client, general.id);
  await channel.send({ files: [{ name: 'out.md', attachment: Buffer.from('# out') }] });
  expect(fake.visible(general).at(-1)?.files).toEqual(['out.md']);
  const large = { files: [{ name: 'large.bin', attachment: Buffer.alloc(101) }] };
  expect(await codeOf(channel.send(large))).toBe(40005);
  fake.setOverwrites(general, [{ for: fake.botUser, deny: ['attachFiles'] }]);
  expect(await codeOf(channel.send({ files: [{ name: 'x', attachment: Buffer.from('x') }] }))).toBe(50013);
  expect(fake.violations).toEqual([]);
});

test('mentions make a sound only where the request lets them', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const ada = fake.addUser({ name: 'Ada' });
  const general = fake.channel(guild, 'general');
  const client = await connect(fake);
  const channel = await textChannel(client, general.id);
  const said = ada.sendMessage(general, 'hello');
  await channel.send(`<@${ada.id}> and @everyone`);
  await channel.send(`\`<@${ada.id}>\``);
  await channel.send({ content: `<@${ada.id}>`, allowedMentions: { parse: [] } });
  const reply = { messageReference: said.id, failIfNotExists: false };
  await channel.send({ content: 'quiet', reply, allowedMentions: { parse: [], repliedUser: false } });
  await channel.send({ content: 'loud', reply });
  const byBot = fake.world.pings.filter(({ authorId }) => authorId === fake.botUser.id);
  expect(byBot).toMatchObject([
    { users: [ada.id], isEveryone: false },
    { users: [ada.id], isEveryone: false },
  ]);
  expect(fake.violations).toEqual([]);
});

test('calls can be refused, slowed, held, and performed with the line cut before their answer', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const client = await connect(fake, { rest: { api: fake.apiUrl, retries: 0 } });
  const general = fake.channel(guild, 'general');
  const channel = await textChannel(client, general.id);
  const call = /^POST .*\/messages$/;
  const texts = () => fake.visible(general).map(({ text }) => text);
  fake.faults.cutAfter(call, 1);
  await expect(channel.send('shown')).rejects.toThrow();
  fake.faults.cutBefore(call, 1);
  await expect(channel.send('not shown')).rejects.toThrow();
  fake.faults.fail(call, { status: 403, code: 50013 }, 1);
  expect(await codeOf(channel.send('refused'))).toBe(50013);
  expect(texts()).toEqual(['shown']);
  const gate = fake.faults.holdAfter(call, 1);
  const held = channel.send('held');
  await gate.reached;
  expect(texts()).toEqual(['shown', 'held']);
  gate.release();
  await held;
  expect(fake.journal.of(call).map(({ status, isPerformed }) => [status, isPerformed])).toEqual([
    ['cut', true],
    ['cut', false],
    [403, false],
    [200, true],
  ]);
});

test('each shard hears of its guilds', async () => {
  const fake = await fakeDiscord({ recommendedShards: 2, maxConcurrency: 2 });
  const even = fake.addGuild({ name: 'Even', id: String(4n << 22n) });
  const odd = fake.addGuild({ name: 'Odd', id: String(5n << 22n) });
  const ada = fake.addUser({ name: 'Ada' });
  const client = await connect(fake, { shards: 'auto' });
  const heard: unknown[] = [];
  client.on(Events.MessageCreate, (message) =>
    heard.push([message.guild?.name ?? 'direct', message.guild?.shardId ?? 0]),
  );
  ada.sendMessage(fake.channel(even, 'general'), 'one', { mention: true });
  ada.sendMessage(fake.channel(odd, 'general'), 'two', { mention: true });
  ada.sendDm('three');
  await expect
    .poll(() => heard.toSorted())
    .toEqual([
      ['Even', 0],
      ['Odd', 1],
      ['direct', 0],
    ]);
  expect(fake.gateway.identifies.map(({ shard }) => shard)).toEqual([
    [0, 2],
    [1, 2],
  ]);
});

test('a person can be answered in a direct channel, unless they take no messages', async () => {
  const fake = await fakeDiscord();
  fake.addGuild({ name: 'Tests' });
  const ada = fake.addUser({ name: 'Ada' });
  const client = await connect(fake, {
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.DirectMessages],
  });
  const user = await client.users.fetch(ada.id);
  await user.send('hello');
  expect((await fake.waitForReply(ada.dm)).content).toBe('hello');
  ada.user.takesDms = false;
  expect(await codeOf(user.send('hello?'))).toBe(50007);
});

test('what the client library cannot stop is reported as a violation', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const client = await connect(fake);
  const channel = await textChannel(client, fake.channel(guild, 'general').id);
  expect(await codeOf(channel.send('x'.repeat(2_001)))).toBe(50035);
  await channel.send('half \uD83D of a face');
  await client.rest.post(`/channels/${channel.id}/messages`, { body: { content: 'x', colour: 1 } });
  await client.rest.get(`/channels/${channel.id}/messages`, { query: new URLSearchParams({ page: '2' }) });
  expect(fake.violations.map(({ problem }) => problem)).toEqual([
    'content: Must be 2000 or fewer in length.',
    expect.stringContaining('surrogate'),
    'unknown key colour',
    'unknown query page',
  ]);
});

test('the bot can be timed out, and hears of its own roles', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests', botPermissions: ['manageThreads'] });
  const client = await connect(fake);
  const channel = await textChannel(client, fake.channel(guild, 'general').id);
  fake.timeOut(guild, fake.botUser, Date.now() + 60_000);
  expect(await codeOf(channel.send('x'))).toBe(50013);
  fake.timeOut(guild, fake.botUser, undefined);
  const role = fake.addRole(guild, { name: 'helpers', permissions: ['manageMessages'] });
  fake.addMember(guild, fake.botUser, [role]);
  const names = () =>
    client.guilds.cache
      .get(guild.id)
      ?.members.me?.roles.cache.map(({ name }) => name)
      .toSorted();
  await expect.poll(names).toEqual(['@everyone', 'helpers', 'skein']);
  expect(await codeOf(channel.send('x'))).toBe('no error');
});
