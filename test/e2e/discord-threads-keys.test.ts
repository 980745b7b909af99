/** Which session a message on Discord belongs to, what is remembered of the place, and what a thread's subagent knows. */
import { describe, expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import { buildSessionKey, parseSessionKey } from '../../src/core/session-key.ts';
import { isSubagent, lastText } from '../fakes/scripted-models.ts';
import { discordWorld } from '../support/discord-app.ts';
import { READS_ALL, spawnInThread, spawningWorld } from '../support/discord-threads.ts';

const OPEN = { dmPolicy: 'open' };

describe('a message', () => {
  test('KEY-03 KEY-04 KEY-21 in a channel has the key of the channel, in a thread that with the thread', async () => {
    const { fake, general, user, skein } = await spawningWorld();
    const thread = user.openThread(user.sendMessage(general, 'a talk'), 'the talk');
    for (const place of [general, thread]) {
      const asked = user.sendMessage(place, 'hello', { mention: true });
      await fake.waitForReply(place, { after: asked });
    }
    const channelKey = `agent:main:discord:channel:${general.id}`;
    expect(await keys(skein)).toEqual([channelKey, `${channelKey}:thread:${thread.id}`]);
  });

  test('KEY-21 in a forum post has the key of the forum with the post', async () => {
    const { fake, guild, user, skein } = await spawningWorld();
    const forum = fake.addChannel(guild, { name: 'asks', type: 'forum' });
    const { thread } = user.createPost(forum, 'question', { text: 'hello', mention: true });
    await fake.waitForReply(thread);
    expect(await keys(skein)).toEqual([`agent:main:discord:channel:${forum.id}:thread:${thread.id}`]);
  });

  test('CHAN-05 LIST-21 leaves where the session was last spoken to, and calls it by server and channel', async () => {
    const { fake, guild, general, user, skein } = await spawningWorld();
    const thread = user.openThread(user.sendMessage(general, 'a talk'), 'the talk');
    for (const place of [general, thread]) {
      const asked = user.sendMessage(place, 'hello', { mention: true });
      await fake.waitForReply(place, { after: asked });
    }
    const route = { channel: 'discord', account: 'default', chatType: 'channel', conversation: general.id };
    const channelKey = `agent:main:discord:channel:${general.id}`;
    expect(await session(skein, channelKey)).toMatchObject({ route, displayName: 'Tests #general' });
    expect(await session(skein, `${channelKey}:thread:${thread.id}`)).toMatchObject({
      route: { ...route, thread: thread.id },
      displayName: 'Tests #general',
    });
    expect(guild.name).toBe('Tests');
  });

  test('LIST-21 a command is enough for a session to have its name', async () => {
    const { general, user, skein } = await spawningWorld();
    await user.runCommand(general, '/status').reply();
    const key = `agent:main:discord:channel:${general.id}`;
    expect((await session(skein, key))?.displayName).toBe('Tests #general');
  });

  test('CHAN-03 in a bound thread goes to what it is bound to, and makes no session of the thread', async () => {
    const { fake, general, user, skein } = await spawningWorld();
    user.sendMessage(general, spawnInThread('moon'), { mention: true });
    const thread = await fake.waitForThread({ parent: general });
    await fake.waitForReply(thread, { matching: 'see to moon' });
    const asked = user.sendMessage(thread, 'and now?');
    await fake.waitForReply(thread, { after: asked, matching: 'and now?' });
    expect((await keys(skein)).filter((key) => key.includes(':thread:'))).toEqual([]);
    const [child] = await skein.store.read.sessions.children(
      `agent:main:discord:channel:${general.id}` as SessionKey,
    );
    expect(child?.route).toMatchObject({ conversation: general.id, thread: thread.id });
  });
});

describe('KEY-20 direct messages of two people with dmScope', () => {
  test.each([
    ['main', () => ['agent:main:main']],
    ['per-peer', (ann: string, bob: string) => [`agent:main:direct:${ann}`, `agent:main:direct:${bob}`]],
    [
      'per-channel-peer',
      (ann: string, bob: string) => [`agent:main:discord:direct:${ann}`, `agent:main:discord:direct:${bob}`],
    ],
    [
      'per-account-channel-peer',
      (ann: string, bob: string) => [
        `agent:main:discord:default:direct:${ann}`,
        `agent:main:discord:default:direct:${bob}`,
      ],
    ],
  ])('%s', async (dmScope, expected) => {
    const { fake, user, skein } = await spawningWorld(undefined, {
      discord: OPEN,
      config: { session: { dmScope } },
    });
    const bob = fake.addUser({ name: 'bob' });
    for (const person of [user, bob]) {
      person.sendDm(`I am ${person.name}`);
      const answer = await fake.waitForReply(person.dm);
      expect(answer.content).toContain(`I am ${person.name}`);
    }
    expect(new Set(await keys(skein))).toEqual(new Set(expected(user.id, bob.id)));
  });
});

describe('Q7 BIND-09 what a subagent in a thread knows of the talk before it', () => {
  const MARKER = 'the word is persimmon';

  async function firstPrompt(more: Record<string, unknown>, parts = {}) {
    const { fake, general, user, models } = await spawningWorld(undefined, parts);
    const asked = user.sendMessage(general, MARKER, { mention: true });
    await fake.waitForReply(general, { after: asked });
    user.sendMessage(general, spawnInThread('moon', more), { mention: true });
    const thread = await fake.waitForThread({ parent: general });
    await fake.waitForReply(thread, { matching: 'see to moon' });
    const call = models.calls.find(({ request }) => isSubagent(request))!;
    return JSON.stringify(call.request.messages);
  }

  test('by default all of it: it is a fork', async () => {
    expect(await firstPrompt({})).toContain(MARKER);
  });

  test('nothing, when it is asked for as isolated', async () => {
    expect(await firstPrompt({ context: 'isolated' })).not.toContain(MARKER);
  });

  test('nothing, where threadBindings.defaultSpawnContext says so', async () => {
    const parts = { discord: { threadBindings: { defaultSpawnContext: 'isolated' } } };
    expect(await firstPrompt({}, parts)).not.toContain(MARKER);
  });

  test('nothing reaches a thread that a person opened', async () => {
    const { fake, general, user, models } = await spawningWorld();
    const asked = user.sendMessage(general, MARKER, { mention: true });
    await fake.waitForReply(general, { after: asked });
    const thread = user.openThread(user.sendMessage(general, 'elsewhere'), 'theirs');
    user.sendMessage(thread, 'hello', { mention: true });
    await fake.waitForReply(thread, { matching: 'hello' });
    const call = models.calls.find(({ request }) => lastText(request).includes('hello'))!;
    expect(JSON.stringify(call.request)).not.toContain(MARKER);
  });
});

test('CHAN-06 messages of bots, and of the bot itself, make no session and no run', async () => {
  const { fake, general, start } = await discordWorld(READS_ALL);
  const { models, store } = await start({ discord: { guilds: { '*': { requireMention: false } } } });
  const bot = fake.addUser({ name: 'other', isBot: true });
  bot.sendMessage(general, 'beep', { mention: true });
  const asked = fake.owner.sendMessage(general, 'hello');
  await fake.waitForReply(general, { after: asked, matching: 'hello' });
  expect(models.calls).toHaveLength(1);
  const drops = await store.read.admissions.drops(10);
  expect(drops.map(({ reason, senderId }) => [reason, senderId])).toEqual([['sender-is-bot', bot.id]]);
});

type Skein = Awaited<ReturnType<typeof spawningWorld>>['skein'];

const session = ({ store }: Skein, key: string) => store.read.sessions.get(key as SessionKey);

async function keys({ store }: Skein): Promise<readonly string[]> {
  const all = await store.read.sessions.recent(50);
  // KEY-22: what events of Discord lead to is read back as it was built.
  for (const { key } of all) expect(buildSessionKey(parseSessionKey(key)!)).toBe(key);
  return all.map(({ key }) => key as string).sort();
}
