/**
 * The fake Discord as a process of its own: `node test/fakes/discord/main.ts ['{"flags":262144,"users":["Ada"]}']`. It
 * prints one JSON line `{ apiUrl, token, guildId, channelId }` and runs until its standard input ends. Lines on standard
 * input are said in the channel by the first user, with a mention of the bot; what the bot posts is printed as JSON lines.
 */
import { createInterface } from 'node:readline';
import { type FakeDiscordOptions, startFakeDiscord } from './index.ts';

interface Seed extends Omit<FakeDiscordOptions, 'now'> {
  readonly guild?: string;
  readonly channels?: readonly string[];
  readonly users?: readonly string[];
}

const {
  guild: guildName = 'Playground',
  channels = ['general'],
  users = ['Ada'],
  ...options
} = JSON.parse(process.argv[2] ?? '{}') as Seed;

const fake = await startFakeDiscord(options);
const guild = fake.addGuild({ name: guildName, channels });
const people = users.map((name) => fake.addUser({ name }));
const channel = fake.channel(guild, channels[0] ?? 'general');
const print = (line: object) => console.log(JSON.stringify(line));
print({ apiUrl: fake.apiUrl, token: fake.token, guildId: guild.id, channelId: channel.id });

const shown = new Set<string>();
void fake.waitFor(
  'the end',
  () => {
    for (const each of fake.world.channels.values()) {
      for (const message of fake.visible(each)) {
        if (message.author !== fake.botUser.name || message.isLoading || shown.has(message.id)) continue;
        shown.add(message.id);
        print({ channel: each.name, ...message });
      }
    }
    return undefined;
  },
  2 ** 31 - 1,
);

const lines = createInterface({ input: process.stdin });
lines.on('line', (text) => {
  if (text.trim() !== '') people[0]?.sendMessage(channel, text, { mention: true });
});
lines.on('close', () => {
  void fake.stop().then(() => process.exit(0));
});
