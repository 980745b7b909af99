/** Strangers who write directly: what they are told, who decides, and what happens then. */
import { expect, test } from 'vitest';
import { createManualClock } from '../fakes/manual-clock.ts';
import type { Saying } from '../fakes/memory-channel.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { startTestApp, type TestAppParts } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';

const HOUR = 3_600_000;

async function start(parts: TestAppParts = {}) {
  const clock = createManualClock();
  const app = await startTestApp({
    channelName: 'discord',
    models: createScriptedModels(chatScript),
    clock,
    ...parts,
  });
  const write = (user: string, text = 'hello') => app.channel.say(text, { user, isDirect: true });
  const owner = async (text: string) => (await app.channel.say(text)).replies.join('\n');
  /** A stranger's first message; resolves with the code that they were given. */
  const ask = async (user: string) => {
    const { replies } = await write(user);
    return /[A-Z2-9]{4}-[A-Z2-9]{4}/.exec(replies.join())![0];
  };
  return { app, clock, write, owner, ask };
}

const WAITS = { status: 'dropped', reason: 'pairing-needed' };

test('a stranger is told a code once, and is not answered', async () => {
  const { app, write } = await start();
  const { receipt, replies } = await write('ann');
  expect(receipt).toEqual(WAITS);
  expect(replies).toEqual([
    expect.stringMatching(
      /^I don't know you yet\. Your code is (\S{9}); an owner can let you in with `\/pair approve \1`\.$/,
    ),
  ]);
  expect(await write('ann', 'hello?')).toEqual({ receipt: WAITS, replies: [] });
  const command = await app.channel.say('/help', {
    user: 'ann',
    isDirect: true,
    event: { source: 'command' },
  });
  expect(command).toEqual({ receipt: WAITS, replies });
  expect(app.models.calls).toEqual([]);
  expect(await app.read.sessions.recent(9)).toEqual([]);
});

test('approved by an owner, a stranger is welcomed at their own place and heard from then on, only there', async () => {
  const { app, write, owner, ask } = await start();
  const code = await ask('ann');
  expect(await owner(`/pair list`)).toBe(`\`${code}\` **ann** (discord user ann), for 1h more`);
  expect(await owner(`/pair approve ${code.toLowerCase().replace('-', '')}`)).toBe(
    '**ann** is let in and has been told so.',
  );
  await expect
    .poll(() => app.channel.messages)
    .toMatchObject([{ conversation: 'with-ann', text: 'You are in. Write to me.' }]);
  expect((await write('ann')).receipt.status).toBe('admitted');
  await expect.poll(() => app.channel.texts()).toContain('re: hello');
  expect(await owner('/pair list')).toBe('Nobody waits to be let in.');
  expect(await owner(`/pair approve ${code}`)).toMatch(/^Nobody waits with the code/);
  const inServer = { user: 'ann', event: { isAddressed: true, place: { space: '10' } } };
  expect((await app.channel.say('hello', inServer)).receipt).toEqual({
    status: 'dropped',
    reason: 'place-not-allowed',
  });
});

test('denied, a stranger hears nothing more, whatever they write', async () => {
  const { app, clock, write, owner, ask } = await start();
  expect(await owner(`/pair deny ${await ask('ann')}`)).toBe('**ann** is not let in. They are told nothing.');
  clock.advance(2 * HOUR);
  expect(await write('ann')).toEqual({
    receipt: { status: 'dropped', reason: 'pairing-denied' },
    replies: [],
  });
  expect(app.channel.messages).toEqual([]);
});

test('a code is void after an hour; then the stranger is given another', async () => {
  const { clock, write, owner, ask } = await start();
  const first = await ask('ann');
  clock.advance(HOUR - 1);
  expect((await write('ann')).replies).toEqual([]);
  clock.advance(1);
  expect(await owner(`/pair approve ${first}`)).toMatch(/^Nobody waits with the code/);
  const second = await ask('ann');
  expect(second).not.toBe(first);
  expect(await owner(`/pair approve ${second}`)).toMatch(/is let in/);
});

test('three may wait at once; further strangers are dropped until there is room', async () => {
  const { app, write, owner, ask } = await start();
  const codes = [await ask('a'), await ask('b'), await ask('c')];
  expect(await write('d')).toEqual({
    receipt: { status: 'dropped', reason: 'pairing-full' },
    replies: [],
  });
  expect((await app.read.admissions.drops(1))[0]).toMatchObject({ senderId: 'd', reason: 'pairing-full' });
  await owner(`/pair deny ${codes[0]}`);
  expect((await write('d')).receipt).toEqual(WAITS);
});

test('only owners decide, see who waits, and are offered the codes', async () => {
  const { app, owner, ask } = await start({ config: { channels: { discord: { guilds: { 10: {} } } } } });
  const code = await ask('ann');
  const bob = { user: 'bob', event: { isAddressed: true, place: { space: '10' } } };
  for (const text of [`/pair approve ${code}`, `/pair deny ${code}`, '/pair list'])
    expect((await app.channel.say(text, bob)).replies).toEqual(['Only an owner may do that.']);
  const offered = async (by: Saying) =>
    (await app.channel.complete('/pair approve ', by)).map(({ label, summary }) => [label, summary]);
  expect(await offered({})).toEqual([[code, 'ann on discord']]);
  expect(await offered(bob)).toEqual([]);
  expect(await owner(`/pair approve ${code}`)).toMatch(/is let in/);
});

test('a stranger’s message that is offered again gives the same code', async () => {
  const { app } = await start();
  const say = () => app.channel.say('hello', { user: 'ann', isDirect: true, id: 'm1' });
  expect(await say()).toEqual(await say());
});

test('what the API decides is what a command decides', async () => {
  const { app, write, ask } = await start();
  const code = await ask('ann');
  expect(await app.app.pairings.pending()).toMatchObject([{ peer: 'ann', code }]);
  expect(await app.app.pairings.decide('AAAA-AAAA', 'approved')).toBeUndefined();
  expect(await app.app.pairings.decide(code, 'approved')).toMatchObject({ peer: 'ann' });
  expect(await app.app.pairings.decide(code, 'denied')).toBeUndefined();
  await expect.poll(() => app.channel.texts()).toEqual(['You are in. Write to me.']);
  expect((await write('ann')).receipt.status).toBe('admitted');
  expect(await app.read.pairings.of('discord', 'default', 'ann')).toMatchObject({
    status: 'approved',
    decidedBy: 'api',
  });
});
