/** Who is heard, who is refused and who is dropped, through the whole application. */
import { describe, expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import type { Saying } from '../fakes/memory-channel.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';

const REFUSAL = 'You may not give me commands here. Please ask whoever runs this bot to allow it.';

/** Under the rules of a platform where strangers are around. */
function start(
  discord: Record<string, unknown> = {},
  config: Record<string, unknown> = {},
): Promise<TestApp> {
  return startTestApp({
    channelName: 'discord',
    capabilities: { needsMention: true },
    models: createScriptedModels(chatScript),
    config: { ...config, channels: { discord } },
  });
}

const ann = (more: Saying['event'] = {}, saying: Saying = {}): Saying => ({
  user: '11',
  ...saying,
  event: { isAddressed: true, place: { space: '10' }, ...more },
});

const drops = async ({ read }: TestApp) =>
  (await read.admissions.drops(50)).map(({ senderId, reason }) => `${senderId}: ${reason}`).toReversed();

test('AUTH-07: in a server that is not named, only owners are heard, and nobody else is told anything', async () => {
  const app = await start();
  const { receipt, replies } = await app.channel.say('hello', ann());
  expect(receipt).toEqual({ status: 'dropped', reason: 'place-not-allowed' });
  expect(replies).toEqual([]);
  await app.channel.say('hello', { ...ann(), user: 'owner' });
  await expect.poll(() => app.channel.texts()).toEqual(['re: hello']);
  expect(app.models.calls).toHaveLength(1);
  expect(await drops(app)).toEqual(['11: place-not-allowed']);
});

test('AUTH-07: a named server is served, to the people and roles that are named there', async () => {
  const app = await start({ guilds: { 10: { users: ['11'], roles: ['77'] } } });
  const from = (user: string, roles: readonly string[] = []) =>
    app.channel.say(`from ${user}`, { ...ann({ place: { space: '10', roles } }), user });
  await from('11');
  await from('22');
  await from('33', ['77']);
  await expect.poll(() => app.channel.texts()).toEqual(['re: from 11', 're: from 33']);
  expect(await drops(app)).toEqual(['22: sender-not-allowed']);
});

test('C7: unaddressed talk of a channel reaches no model; a mention does', async () => {
  const app = await start({ guilds: { 10: {} } });
  await app.channel.say('chatter', ann({ isAddressed: false }));
  await app.channel.say('/status', ann({ isAddressed: false }));
  await app.channel.say('hello', ann());
  await expect.poll(() => app.channel.texts()).toEqual(['re: hello']);
  expect(app.models.calls).toHaveLength(1);
  expect(await drops(app)).toEqual(['11: not-addressed', '11: not-addressed']);
});

test('C7: what is written in the bot’s own thread needs no mention, unless the server says so', async () => {
  for (const [threadRequireExplicitMention, isHeard] of [
    [false, true],
    [true, false],
  ] as const) {
    const app = await start({ guilds: { 10: { threadRequireExplicitMention } } });
    const thread = app.channel.openPlainThread();
    const place = { space: '10', isOwnThread: true };
    const { receipt } = await app.channel.say('and now', ann({ isAddressed: false, place }, { thread }));
    expect(receipt.status).toBe(isHeard ? 'admitted' : 'dropped');
  }
});

test('BIND-23: in a bound thread nobody needs a mention, yet only those who may are heard', async () => {
  const app = await start({ guilds: { 10: { users: ['11'] } } });
  await app.channel.say('spawn thread digger', ann());
  await expect.poll(() => app.channel.texts(app.channel.threads[0]?.id)).toContain('re: digger');
  const thread = app.channel.threads[0]!.id;
  const unmentioned = ann({ isAddressed: false }, { thread });
  expect((await app.channel.say('more', unmentioned)).receipt).toMatchObject({
    sessionKey: expect.stringMatching(/:subagent:/),
  });
  expect((await app.channel.say('me too', { ...unmentioned, user: '22' })).receipt).toEqual({
    status: 'dropped',
    reason: 'sender-not-allowed',
  });
});

describe('P3, AUTH-06: a command of somebody who may give none', () => {
  test.each([
    ['message', '/status'],
    ['message', '!stop'],
    ['command', '/focus notes'],
    ['button', '/stop'],
  ] as const)('as %s, %s is refused with a word, recorded, and reaches no model', async (source, text) => {
    const app = await start(
      { guilds: { 10: {} } },
      { commands: { allowFrom: { discord: ['22'], '*': ['11'] } } },
    );
    const given = await app.channel.say(text, ann({ source }));
    expect(given).toEqual({
      receipt: { status: 'dropped', reason: 'command-not-allowed' },
      replies: [REFUSAL],
    });
    expect(await app.read.sessions.recent(9)).toEqual([]);
    expect(await drops(app)).toEqual(['11: command-not-allowed']);
    const { replies } = await app.channel.say('/status', { ...ann(), user: '22' });
    expect(replies.join()).toContain('Tokens:');
    expect(app.models.calls).toEqual([]);
  });

  test('where they are not heard either', async () => {
    const app = await start();
    expect((await app.channel.say('/help', ann())).replies).toEqual([REFUSAL]);
  });

  test('the list for all channels counts where the channel has none of its own', async () => {
    const app = await start({ guilds: { 10: {} } }, { commands: { allowFrom: { '*': ['22'] } } });
    expect((await app.channel.say('/help', ann())).replies).toEqual([REFUSAL]);
    expect((await app.channel.say('/help', { ...ann(), user: '22' })).replies.join()).toContain('/focus');
    expect((await app.channel.say('hello', ann())).receipt.status).toBe('admitted');
  });
});

test('a native command with its options acts as the typed one; one that is unknown reaches no model', async () => {
  const app = await start({ guilds: { 10: {} } });
  const native = (name: string, options: Record<string, string>) =>
    app.channel.say(`/${name}`, ann({ source: 'command', command: { name, options } }));
  expect((await native('queue', { mode: 'collect' })).replies.join()).toMatch(/^Queue mode: collect/);
  expect((await native('queue', { mode: 'sideways' })).replies.join()).toMatch(/^Usage: \/queue/);
  const spawned = await native('subagents spawn', { agentid: 'main', task: 'look --model up "this"' });
  expect(spawned.replies.join()).toMatch(/^Started \*\*subagent 1\*\*/);
  await expect
    .poll(() => app.models.calls[0]?.request.messages.at(-1))
    .toMatchObject({ text: '[Subagent Task]\nlook --model up "this"' });
  expect(await native('gone', {})).toEqual({
    receipt: { status: 'command', command: 'unknown' },
    replies: ['That command does nothing any more.'],
  });
});

test('KEY-19: a native command records who gave it as a key of its own, for which no session and no run is made', async () => {
  const app = await start({ guilds: { 10: {} } });
  const event = { source: 'command', command: { name: 'status', options: {} } } as const;
  await app.channel.say('/status', ann(event, { id: 'i1' }));
  const key = 'agent:main:discord:slash:11' as SessionKey;
  expect(await app.read.admissions.result('discord', 'default', 'i1')).toMatchObject({ sender: key });
  expect(await app.read.sessions.get(key)).toBeUndefined();
  expect((await app.read.sessions.recent(9)).map((session) => session.key)).toEqual([
    'agent:main:discord:channel:general',
  ]);
  expect(await app.read.runs.counts()).toMatchObject({ queued: 0, running: 0 });
});

test.each([
  ['main', 'agent:main:main'],
  ['per-peer', 'agent:main:direct:11'],
  ['per-channel-peer', 'agent:main:discord:direct:11'],
  ['per-account-channel-peer', 'agent:main:discord:default:direct:11'],
])('KEY-20: with session.dmScope %s a direct message goes to %s', async (dmScope, sessionKey) => {
  const app = await start({ dmPolicy: 'open' }, { session: { dmScope } });
  const { receipt } = await app.channel.say('hello', { user: '11', isDirect: true });
  expect(receipt).toMatchObject({ status: 'admitted', sessionKey });
  await expect.poll(() => app.channel.messages).toMatchObject([{ conversation: 'with-11' }]);
});

test('a message with nothing but files is admitted, an empty one is dropped', async () => {
  const app = await start({ guilds: { 10: {} } });
  const files = [{ name: 'a.bin', refused: 'only pictures and texts can be read' }];
  expect((await app.channel.say('', ann({ files }))).receipt.status).toBe('admitted');
  expect((await app.channel.say(' ', ann())).receipt).toEqual({ status: 'dropped', reason: 'empty-text' });
});

describe('a button of a run card', () => {
  test('is for whoever asked for the run, and for owners', async () => {
    const app = await start({ guilds: { 10: {} } });
    await app.channel.say('spawn thread slow dig', ann());
    const actions = () => app.channel.messages.find(({ card }) => card)?.card?.actions ?? [];
    await expect.poll(() => actions().map(({ label }) => label)).toEqual(['Stop', 'Unfocus', 'Details']);
    expect(actions().map(({ presser }) => presser)).toEqual(['11', '11', undefined]);
    const [stop] = actions();
    const press = (user: string) =>
      app.channel.say(stop!.command, { ...ann({ source: 'button', presser: stop!.presser! }), user });
    expect(await press('22')).toEqual({
      receipt: { status: 'dropped', reason: 'not-for-presser' },
      replies: ['That button is for whoever asked.'],
    });
    expect((await press('11')).replies).toEqual(['Stopped **slow dig**.']);
    expect((await press('owner')).replies).toEqual(['**slow dig** was not running.']);
    expect(await drops(app)).toEqual(['22: not-for-presser']);
  });
});

describe('J8, E-18: bots', () => {
  const peer = (user = 'peer') => ({
    ...ann({ sender: { id: user, name: user, isBot: true } }),
    user,
  });

  test('are not heard by default', async () => {
    const app = await start({ guilds: { 10: {} } });
    expect((await app.channel.say('hello', peer())).receipt).toEqual({
      status: 'dropped',
      reason: 'sender-is-bot',
    });
  });

  test('where they are, six in a row are answered, until a person speaks', async () => {
    const app = await start({ allowBots: true, guilds: { 10: {} } });
    const rounds = async (count: number) => {
      const reasons: string[] = [];
      for (let i = 0; i < count; i++) {
        const { receipt, replies } = await app.channel.say(`round ${i}`, peer(i % 2 ? 'peer' : 'other'));
        reasons.push(receipt.status === 'dropped' ? receipt.reason : receipt.status);
        expect(replies).toEqual([]);
      }
      return reasons;
    };
    const six = Array.from({ length: 6 }, () => 'admitted');
    expect(await rounds(8)).toEqual([...six, 'bots-only', 'bots-only']);
    await expect.poll(() => app.read.runs.counts()).toMatchObject({ queued: 0, running: 0 });
    expect(await rounds(1)).toEqual(['bots-only']);
    await app.channel.say('a person', ann());
    expect(await rounds(7)).toEqual([...six, 'bots-only']);
  });

  test('give no commands, and are told nothing', async () => {
    const app = await start({ allowBots: true, guilds: { 10: {} } });
    expect(await app.channel.say('/stop', peer())).toEqual({
      receipt: { status: 'dropped', reason: 'command-not-allowed' },
      replies: [],
    });
  });
});

test('the web chat’s rules and those of a channel that has none let everybody in', async () => {
  const app = await startTestApp();
  expect((await app.channel.say('hello', { user: '11' })).receipt.status).toBe('admitted');
  expect((await app.channel.say('hello', { user: '11', isDirect: true })).receipt.status).toBe('admitted');
});
