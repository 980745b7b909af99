/** The real discord.js client against the fake Discord: what the fake promises, seen through the client that counts. */
import {
  ChannelType,
  Client,
  type ClientOptions,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  MessageFlags,
  Partials,
  type TextChannel,
} from 'discord.js';
import { afterEach, expect, test } from 'vitest';
import {
  APPLICATION_FLAGS,
  type FakeDiscord,
  type FakeDiscordOptions,
  startFakeDiscord,
} from '../fakes/discord/index.ts';

const releases: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});

async function fakeDiscord(options?: FakeDiscordOptions): Promise<FakeDiscord> {
  const fake = await startFakeDiscord(options);
  releases.push(() => fake.stop());
  return fake;
}

const UNPRIVILEGED = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.DirectMessages,
];

async function connect(fake: FakeDiscord, options: Partial<ClientOptions> = {}): Promise<Client<true>> {
  const client = new Client({
    intents: UNPRIVILEGED,
    partials: [Partials.Channel, Partials.Message],
    waitGuildTimeout: 200,
    rest: { api: fake.apiUrl },
    ...options,
  });
  client.on('error', () => undefined);
  releases.push(() => client.destroy());
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(fake.token);
  await ready;
  return client as Client<true>;
}

async function textChannel(client: Client, id: string): Promise<TextChannel> {
  const channel = await client.channels.fetch(id);
  if (channel?.type !== ChannelType.GuildText) throw new Error('no text channel');
  return channel;
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof DiscordAPIError ? error.code : error),
  );

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
