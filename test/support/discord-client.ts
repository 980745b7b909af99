/** The real discord.js client at the fake Discord, for the tests of the fake; all of it ends with the test. */
import {
  ChannelType,
  Client,
  type ClientOptions,
  DiscordAPIError,
  Events,
  GatewayIntentBits,
  Partials,
  type TextChannel,
} from 'discord.js';
import { onTestFinished } from 'vitest';
import { type FakeDiscord, type FakeDiscordOptions, startFakeDiscord } from '../fakes/discord/index.ts';

export async function fakeDiscord(options?: FakeDiscordOptions): Promise<FakeDiscord> {
  const fake = await startFakeDiscord(options);
  onTestFinished(() => fake.stop());
  return fake;
}

export const UNPRIVILEGED = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.DirectMessages,
];

/** A client that is ready. */
export async function connect(
  fake: FakeDiscord,
  options: Partial<ClientOptions> = {},
): Promise<Client<true>> {
  const client = new Client({
    intents: UNPRIVILEGED,
    partials: [Partials.Channel, Partials.Message],
    waitGuildTimeout: 200,
    rest: { api: fake.apiUrl },
    ...options,
  });
  // Its failures are the business of the calls that a test makes.
  client.on('error', () => undefined);
  onTestFinished(() => client.destroy());
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(fake.token);
  await ready;
  return client as Client<true>;
}

export async function textChannel(client: Client, id: string): Promise<TextChannel> {
  const channel = await client.channels.fetch(id);
  if (channel?.type !== ChannelType.GuildText) throw new Error(`${id} is no text channel`);
  return channel;
}

/** Discord's code of the refusal, what else was thrown, or `no error`. */
export const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (error: unknown) => (error instanceof DiscordAPIError ? error.code : error),
  );
