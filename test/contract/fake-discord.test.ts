/** The real discord.js client against the fake Discord: what the fake promises, seen through the client that counts. */
import { Client, Events, GatewayIntentBits, MessageFlags } from 'discord.js';
import { expect, onTestFinished, test } from 'vitest';
import { APPLICATION_FLAGS, snowflakeAt } from '../fakes/discord/index.ts';
import { codeOf, connect, fakeDiscord, textChannel, UNPRIVILEGED } from '../support/discord-client.ts';

test('a mention reaches the client, and its reply reaches the person', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const ada = fake.addUser({ name: 'Ada' });
  const client = await connect(fake);
  client.on(Events.MessageCreate, (message) => {
    if (!message.author.bot) void message.reply(`echo ${message.content}`);
  });
  const general = fake.channel(guild, 'general');
  const said = ada.sendMessage(general, 'hello', { mention: true });
  const reply = await fake.waitForReply(general, { after: said });
  expect(reply.content).toBe(`echo <@${client.user.id}> hello`);
  expect(fake.visible(general).at(-1)).toMatchObject({ author: 'skein', replyTo: said.id });
  expect(fake.violations).toEqual([]);
});

test('a thread opened twice from one message is one thread, with the id of the message', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const client = await connect(fake);
  const channel = await textChannel(client, fake.channel(guild, 'general').id);
  const card = await channel.send('card');
  const thread = await card.startThread({ name: 'work' });
  expect(thread.id).toBe(card.id);
  const again = client.rest.post(`/channels/${channel.id}/messages/${card.id}/threads`, {
    body: { name: 'work' },
  });
  expect(await codeOf(again)).toBe(160004);
  await thread.send('in the thread');
  const opened = await fake.waitForThread({ named: 'work' });
  expect(fake.visible(opened).map(({ text }) => text)).toEqual(['in the thread']);
  expect((await channel.messages.fetch({ message: card.id, force: true })).thread?.id).toBe(card.id);
  expect(fake.violations).toEqual([]);
});

test('an enforced nonce gives back the message that is there, within its window and no longer', async () => {
  let time = 1_700_000_000_000;
  const fake = await fakeDiscord({ now: () => time });
  const guild = fake.addGuild({ name: 'Tests' });
  const client = await connect(fake);
  const heard: unknown[] = [];
  client.on(Events.MessageCreate, (message) => heard.push(message.nonce));
  const channel = await textChannel(client, fake.channel(guild, 'general').id);
  const send = () => channel.send({ content: 'once', nonce: 'n1', enforceNonce: true });
  const first = await send();
  expect(first.nonce).toBe('n1');
  expect(snowflakeAt(first.id)).toBe(time);
  expect((await send()).id).toBe(first.id);
  const listed = (await client.rest.get(`/channels/${channel.id}/messages`)) as readonly object[];
  expect(listed).toHaveLength(1);
  expect(listed[0]).not.toHaveProperty('nonce');
  time += 300_001;
  expect((await send()).id).not.toBe(first.id);
  await expect.poll(() => heard).toEqual(['n1', 'n1']);
});

test('what happens while the line is down is told when the session is resumed', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const ada = fake.addUser({ name: 'Ada' });
  const client = await connect(fake);
  const heard: string[] = [];
  client.on(Events.MessageCreate, (message) => heard.push(message.content));
  fake.pauseGateway();
  ada.sendMessage(fake.channel(guild, 'general'), 'meanwhile', { mention: true });
  fake.resumeGateway();
  await fake.waitForGateway();
  await expect.poll(() => heard).toEqual([`<@${client.user.id}> meanwhile`]);
  expect(fake.gateway.resumes).toHaveLength(1);
  expect(fake.gateway.identifies).toHaveLength(1);
});

test('what happens between two sessions is not told', { timeout: 30_000 }, async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const ada = fake.addUser({ name: 'Ada' });
  const client = await connect(fake);
  const heard: string[] = [];
  client.on(Events.MessageCreate, (message) => heard.push(message.content));
  const general = fake.channel(guild, 'general');
  fake.dropGateway({ isResumable: false });
  ada.sendMessage(general, 'lost', { mention: true });
  await fake.waitForGateway(1, 20_000);
  expect(fake.gateway.identifies).toHaveLength(2);
  ada.sendMessage(general, 'found', { mention: true });
  await expect.poll(() => heard).toEqual([`<@${client.user.id}> found`]);
});

test('a client asked to reconnect resumes its session', async () => {
  const fake = await fakeDiscord();
  fake.addGuild({ name: 'Tests' });
  await connect(fake);
  fake.gateway.askReconnect();
  await fake.waitFor('a resume', () => fake.gateway.resumes[0]);
  expect(fake.gateway.identifies).toHaveLength(1);
});

test('intents that are not granted end the connection with 4014, a wrong token the login', async () => {
  const fake = await fakeDiscord();
  const greedy = new Client({ intents: [GatewayIntentBits.MessageContent], rest: { api: fake.apiUrl } });
  onTestFinished(() => greedy.destroy());
  await expect(greedy.login(fake.token)).rejects.toThrow(/disallowed intents/i);
  const wrong = new Client({ intents: [], rest: { api: fake.apiUrl } });
  onTestFinished(() => wrong.destroy());
  await expect(wrong.login('wrong')).rejects.toMatchObject({ code: 'TokenInvalid' });
});

test('content is emptied where the bot is not meant, unless it may read it', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const ada = fake.addUser({ name: 'Ada' });
  const general = fake.channel(guild, 'general');
  const client = await connect(fake);
  const heard: string[] = [];
  client.on(Events.MessageCreate, (message) => heard.push(message.content));
  const channel = await textChannel(client, general.id);
  await channel.send('own');
  const own = fake.messages(general)[0]!;
  ada.sendMessage(general, 'unheard');
  ada.sendMessage(general, 'reply', { replyTo: own });
  ada.sendMessage(general, 'silent reply', { replyTo: own, pingReply: false });
  ada.sendDm('direct');
  await expect.poll(() => heard).toEqual(['own', '', 'reply', '', 'direct']);
  const contents = async () => (await channel.messages.fetch({ limit: 10 })).map(({ content }) => content);
  expect(await contents()).toEqual(['', 'reply', '', 'own']);
  fake.setFlags(APPLICATION_FLAGS.messageContentLimited);
  const reader = await connect(fake, { intents: [...UNPRIVILEGED, GatewayIntentBits.MessageContent] });
  const read: string[] = [];
  reader.on(Events.MessageCreate, (message) => read.push(message.content));
  ada.sendMessage(general, 'open');
  await expect.poll(() => read).toEqual(['open']);
  expect(await contents()).toEqual(['open', 'silent reply', 'reply', 'unheard', 'own']);
});

const COMMANDS = [
  {
    name: 'subagents',
    description: 'Subagents',
    options: [
      {
        type: 1,
        name: 'spawn',
        description: 'Starts one',
        options: [
          { type: 3, name: 'task', description: 'What to do', required: true, autocomplete: false },
          { type: 3, name: 'agent', description: 'Who', autocomplete: true },
        ],
      },
    ],
  },
];

test('commands are registered with the defaults filled in, and an equal set changes nothing', async () => {
  const fake = await fakeDiscord({ commandCreatesPerDay: 1 });
  fake.addGuild({ name: 'Tests' });
  const client = await connect(fake);
  const path = `/applications/${client.application.id}/commands` as const;
  const [first] = (await client.rest.put(path, { body: COMMANDS })) as readonly Record<string, unknown>[];
  expect(first).toMatchObject({ nsfw: false, default_member_permissions: null, type: 1 });
  expect(JSON.stringify(first?.options)).not.toContain('"autocomplete":false');
  expect(await client.rest.put(path, { body: COMMANDS })).toEqual([first]);
  expect(await client.rest.get(path)).toEqual([first]);
  const more = { name: 'more', description: 'One more' };
  expect(await codeOf(client.rest.post(path, { body: more }))).toBe(30034);
  expect(await codeOf(client.rest.post(path, { body: { name: 'More', description: 'x' } }))).toBe(50035);
  expect(fake.commandWrites.count).toBe(4);
  expect(fake.violations).toEqual([
    { source: 'rule', call: `POST ${path}`, problem: 'the name More has capitals' },
  ]);
});

test('a command is deferred, edited and followed up; what is ephemeral stays out of the channel', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const ada = fake.addUser({ name: 'Ada' });
  const general = fake.channel(guild, 'general');
  const client = await connect(fake);
  await client.application.commands.set(COMMANDS as never);
  client.on(Events.InteractionCreate, async (interaction) => {
    if (interaction.isAutocomplete()) {
      await interaction.respond([{ name: 'main', value: interaction.options.getFocused() }]);
    }
    if (interaction.isChatInputCommand()) {
      await interaction.deferReply({ flags: MessageFlags.Ephemeral });
      await interaction.editReply(`did ${interaction.options.getString('task')}`);
      await interaction.followUp('for all');
    }
  });
  const run = ada.runCommand(general, '/subagents spawn', { task: 'it' });
  expect((await run.reply()).content).toBe('did it');
  expect(run.isDeferred).toBe(true);
  expect(run.isEphemeral).toBe(true);
  expect(run.ackMs).toBeLessThan(3_000);
  expect((await run.followup()).content).toBe('for all');
  expect(fake.visible(general).map(({ text }) => text)).toEqual(['for all']);
  expect(ada.ephemerals.map(({ content }) => content)).toEqual(['did it']);
  const choices = await ada.autocomplete(general, '/subagents spawn', { option: 'agent', partial: 'ma' });
  expect(choices).toEqual([{ name: 'main', value: 'ma' }]);
  expect(() => ada.runCommand(general, '/subagents spawn')).toThrow(/task is required/);
  expect(() => ada.runCommand(general, '/nothing')).toThrow(/there is no command/);
  expect(fake.violations).toEqual([]);
});

test('an answer after the deadline is refused, and so is an edit after the life of the token', async () => {
  let time = 1_700_000_000_000;
  const fake = await fakeDiscord({ now: () => time });
  const guild = fake.addGuild({ name: 'Tests' });
  const ada = fake.addUser({ name: 'Ada' });
  const general = fake.channel(guild, 'general');
  const client = await connect(fake);
  await client.application.commands.create({ name: 'slow', description: 'Slow' });
  const codes: unknown[] = [];
  let lateMs = 3_001;
  client.on(Events.InteractionCreate, async (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    time += lateMs;
    codes.push(await codeOf(interaction.reply('here')));
    if (!interaction.replied) return;
    time += 900_000;
    codes.push(await codeOf(interaction.editReply('there')));
  });
  ada.runCommand(general, '/slow');
  await expect.poll(() => codes).toEqual([10062]);
  lateMs = 1_000;
  ada.runCommand(general, '/slow');
  await expect.poll(() => codes).toEqual([10062, 'no error', 50027]);
});

test('a pressed button answers by changing its message', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const ada = fake.addUser({ name: 'Ada' });
  const general = fake.channel(guild, 'general');
  const client = await connect(fake);
  client.on(Events.InteractionCreate, async (interaction) => {
    if (interaction.isButton()) await interaction.update({ content: 'stopped', components: [] });
  });
  const channel = await textChannel(client, general.id);
  await channel.send({
    content: 'card',
    components: [
      { type: 1, components: [{ type: 2, style: 4, label: 'Stop', customId: 'stop:1' }] },
    ] as never,
  });
  const card = fake.messages(general)[0]!;
  expect(() => ada.clickButton(card, 'Go')).toThrow(/there are: Stop/);
  const press = ada.clickButton(card, 'Stop');
  expect(await press.reply()).toBe(card);
  expect(fake.visible(general)).toMatchObject([{ text: 'stopped', buttons: [] }]);
  expect(fake.violations).toEqual([]);
});

test('a refusal for too many calls is waited out by the client, one call or all', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const client = await connect(fake, { rest: { api: fake.apiUrl, offset: 0 } });
  const channel = await textChannel(client, fake.channel(guild, 'general').id);
  const call = /^POST .*\/messages$/;
  fake.rateLimits.refuse({ call, retryAfterMs: 60, times: 2 });
  await channel.send('after the storm');
  fake.rateLimits.refuse({ call, retryAfterMs: 60, scope: 'global' });
  await channel.send('after the great storm');
  const posts = fake.journal.of(call);
  expect(posts.map(({ status }) => status)).toEqual([429, 429, 200, 429, 200]);
  expect(posts[1]!.at - posts[0]!.at).toBeGreaterThanOrEqual(60);
  expect(posts[4]!.at - posts[3]!.at).toBeGreaterThanOrEqual(60);
  expect(fake.messages(fake.channel(guild, 'general'))).toHaveLength(2);
  expect(fake.rateLimits.invalidRequests).toBe(3);
});

test('a route has its own bucket, whose headers the client obeys', async () => {
  const fake = await fakeDiscord();
  const guild = fake.addGuild({ name: 'Tests' });
  const client = await connect(fake, { rest: { api: fake.apiUrl, offset: 0 } });
  const channel = await textChannel(client, fake.channel(guild, 'general').id);
  fake.rateLimits.setLimit(/^POST .*\/messages$/, { limit: 2, windowMs: 300 });
  for (const text of ['1', '2', '3']) await channel.send(text);
  const posts = fake.journal.of(/^POST .*\/messages$/);
  expect(posts.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(posts[2]!.at - posts[0]!.at).toBeGreaterThanOrEqual(250);
});
