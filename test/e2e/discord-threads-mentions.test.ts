/** Which messages on Discord are meant for the bot: the table of docs/access.md, on real events. */
import { describe, expect, test } from 'vitest';
import { type Actor, APPLICATION_FLAGS, type Channel, type FakeDiscord } from '../fakes/discord/index.ts';
import { createScriptedModels, lastText } from '../fakes/scripted-models.ts';
import { type DiscordAppParts, discordWorld } from '../support/discord-app.ts';
import { settled, spawnInThread, spawning } from '../support/discord-threads.ts';

const SAYINGS = ['nothing', 'reply', 'silent reply', 'mention', 'role mention', 'everyone'] as const;
type Saying = (typeof SAYINGS)[number];
type Heard = Partial<Record<Saying, true>>;

const ADDRESSED: Heard = { reply: true, 'silent reply': true, mention: true };
const EVERYTHING: Heard = { ...ADDRESSED, nothing: true, 'role mention': true, everyone: true };
const ONLY_MENTION: Heard = { mention: true };

type World = Awaited<ReturnType<typeof discordWorld>>;
type Place = (world: World) => Promise<Channel>;

const inChannel: Place = async ({ general }) => general;
const inThread: Place = async ({ user, general }) => user.openThread(general, 'a talk');
const inThreadOpenedByMention: Place = async ({ fake, user, general }) => {
  const asked = user.sendMessage(general, 'first', { mention: true });
  const thread = user.openThread(asked, 'from a mention');
  await fake.waitForReply(general, { after: asked });
  return thread;
};
const inOwnThread: Place = async ({ fake, user, general }) => {
  user.sendMessage(general, 'open one', { mention: true });
  const thread = await fake.waitForThread({ parent: general });
  await fake.waitForReply(thread, { matching: 'open one' });
  return thread;
};
const inBoundThread: Place = async ({ fake, user, general }) => {
  user.sendMessage(general, spawnInThread('moon'), { mention: true });
  const thread = await fake.waitForThread({ named: 'moon' });
  await fake.waitForReply(thread, { matching: 'see to moon' });
  return thread;
};

const rules = (guild: Record<string, unknown>) => ({ guilds: { '*': guild } });
const NO_MENTION = rules({ requireMention: false });
const STRICT = rules({ threadRequireExplicitMention: true });
const AUTO = { autoThread: true };

/** What is said is one word, so that its answer can be found. */
function say(fake: FakeDiscord, person: Actor, place: Channel, saying: Saying, roleId: string): string {
  const word = `w${saying.replaceAll(' ', '')}`;
  const ours = fake.messages(place).findLast(({ author }) => author.id === fake.botUser.id);
  switch (saying) {
    case 'nothing':
      person.sendMessage(place, word);
      break;
    case 'reply':
    case 'silent reply':
      if (!ours) throw new Error('there is nothing to reply to');
      person.sendMessage(place, word, { replyTo: ours, pingReply: saying === 'reply' });
      break;
    case 'mention':
      person.sendMessage(place, word, { mention: true });
      break;
    case 'role mention':
      person.sendMessage(place, `<@&${roleId}> ${word}`);
      break;
    case 'everyone':
      person.sendMessage(place, `@everyone ${word}`);
  }
  return word;
}

/** Says everything there is to say, in order; the last one is sure to be answered. */
async function heardIn(place: Place, discord: Record<string, unknown>, flags: number): Promise<Heard> {
  const world = await discordWorld({ flags });
  const { fake, guild } = world;
  const models = createScriptedModels(spawning((request) => `echo: ${lastText(request)}`));
  const parts: DiscordAppParts = { models, discord };
  const skein = await world.start(parts);
  const crew = fake.addRole(guild, { name: 'crew', permissions: ['mentionEveryone'] });
  fake.addMember(guild, fake.botUser, [crew]);
  fake.addMember(guild, world.user, [crew]);
  const at = await place(world);
  const first = world.user.sendMessage(at, 'hello', { mention: true });
  await fake.waitForReply(at, { after: first });
  await settled(skein);
  const before = models.calls.length;
  const typingBefore = fake.world.typing.length;
  const words = new Map<Saying, string>();
  for (const saying of SAYINGS) words.set(saying, say(fake, world.user, at, saying, crew.id));
  const last = world.user.sendMessage(at, 'goodbye', { mention: true });
  await fake.waitForReply(at, { after: last, matching: 'goodbye' });
  const prompts = JSON.stringify(models.calls.slice(before).map(({ request }) => request.messages));
  const heard = SAYINGS.filter((saying) => prompts.includes(words.get(saying)!));
  if (heard.length === 0) expect(fake.world.typing.length - typingBefore).toBeLessThanOrEqual(2);
  return Object.fromEntries(heard.map((saying) => [saying, true]));
}

const { messageContent: CONTENT } = APPLICATION_FLAGS;

describe('C7 with Message Content', () => {
  test.each<readonly [string, Place, Record<string, unknown>, Heard]>([
    ['a channel', inChannel, {}, ADDRESSED],
    ['a channel with requireMention: false', inChannel, NO_MENTION, EVERYTHING],
    ['a thread of people', inThread, {}, ADDRESSED],
    ['a thread that hangs on a mention', inThreadOpenedByMention, {}, ADDRESSED],
    ['a thread with requireMention: false', inThread, NO_MENTION, EVERYTHING],
    ['a thread with threadRequireExplicitMention', inThread, STRICT, ONLY_MENTION],
    ['a thread that the bot opened', inOwnThread, AUTO, EVERYTHING],
    [
      'a thread that the bot opened, with threadRequireExplicitMention',
      inOwnThread,
      { ...STRICT, ...AUTO },
      ONLY_MENTION,
    ],
    ['a bound thread (BIND-23)', inBoundThread, {}, EVERYTHING],
    ['a bound thread with threadRequireExplicitMention (BIND-23)', inBoundThread, STRICT, EVERYTHING],
  ])('%s', async (_where, place, discord, heard) => {
    expect(await heardIn(place, discord, CONTENT)).toEqual(heard);
  });
});

describe('C7 Q4 without Message Content', () => {
  test.each<readonly [string, Place, Record<string, unknown>, Heard]>([
    ['a channel', inChannel, {}, ADDRESSED],
    ['a channel with requireMention: false', inChannel, NO_MENTION, ADDRESSED],
    ['a thread that the bot opened', inOwnThread, AUTO, ADDRESSED],
    ['a bound thread (BIND-23)', inBoundThread, {}, ADDRESSED],
  ])('%s', async (_where, place, discord, heard) => {
    const got = await heardIn(place, discord, 0);
    // Discord empties a message that does not name the bot, so what a silent reply says is not known.
    const { 'silent reply': _silent, ...rest } = heard;
    expect(got).toEqual(rest);
  });
});
