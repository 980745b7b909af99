/** Mentions that are answered in a thread of their own: opened once, in order, and answered in the channel where it cannot be had. */
import { expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import type { Saying } from '../fakes/memory-channel.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { startTestApp } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';

const GENERAL = 'agent:main:discord:channel:general' as SessionKey;
const inThread = (thread: string) => `${GENERAL}:thread:${thread}` as SessionKey;

const start = (parts: Parameters<typeof startTestApp>[0] = {}) =>
  startTestApp({
    channelName: 'discord',
    models: createScriptedModels(chatScript),
    config: {
      messages: { queue: { mode: 'followup' } },
      channels: { discord: { groupPolicy: 'open', autoThread: true } },
    },
    ...parts,
  });

const mention = (id: string, more: Saying['event'] = {}): Saying => ({
  id,
  user: 'ann',
  event: { isAddressed: true, isMention: true, ...more },
});

test('a mention is answered in a thread opened from it, under that thread’s ordinary session', async () => {
  const app = await start();
  const { receipt } = await app.channel.say('plan the trip\nto the sea', mention('m90'));
  expect(receipt).toMatchObject({ status: 'admitted', sessionKey: inThread('m90') });
  await eventually(() => app.channel.texts('m90')).toEqual(['re: plan the trip\nto the sea']);
  expect(app.channel.texts()).toEqual([]);
  expect(app.channel.threads).toEqual([{ id: 'm90', anchor: 'm90', title: 'plan the trip' }]);
  expect(await app.read.sessions.get(GENERAL)).toBeUndefined();
  expect(await app.read.sessions.get(inThread('m90'))).toMatchObject({
    route: { conversation: 'general', thread: 'm90' },
  });
  const at = { thread: 'm90', user: 'ann', event: { isMention: true, isAddressed: true } };
  expect((await app.channel.say('and back', at)).receipt).toMatchObject({ sessionKey: inThread('m90') });
  await eventually(() => app.channel.texts('m90')).toContain('re: and back');
  expect(app.channel.threads).toHaveLength(1);
});

test('what is written in the thread before it is known to be open joins in order', async () => {
  const app = await start();
  app.channel.refuseNext('openThread', 'channel-unreachable');
  await app.channel.say('first', mention('m90'));
  const [run] = await app.read.runs.active(inThread('m90'));
  expect(run).toMatchObject({ status: 'waiting', waitingOn: { kind: 'operation' } });
  const second = await app.channel.say('second', { ...mention('m91'), thread: 'm90' });
  expect(second.receipt).toMatchObject({ runId: run!.id });
  await eventually(() => app.channel.texts('m90')).toEqual(['re: second']);
  expect(app.models.calls[0]!.request.messages.map((message) => 'text' in message && message.text)).toEqual([
    expect.stringContaining('first'),
    expect.stringContaining('second'),
  ]);
});

test('D8: a thread whose opening seemed to fail, and a message that is delivered again, give one thread and one answer', async () => {
  const app = await start();
  app.channel.loseAnswerOf('openThread');
  const first = await app.channel.say('hello', mention('m90'));
  const again = await app.channel.say('hello', mention('m90'));
  expect(again.receipt).toEqual(first.receipt);
  await eventually(() => app.channel.texts('m90')).toEqual(['re: hello']);
  await app.stop();
  const restarted = await start({ after: app });
  expect((await restarted.channel.say('hello', mention('m90'))).receipt).toEqual(first.receipt);
  await restarted.channel.say('next', mention('m91'));
  await eventually(() => restarted.channel.texts('m91')).toEqual(['re: next']);
  expect(restarted.channel.texts('m90')).toEqual(['re: hello']);
  expect(restarted.channel.threads).toHaveLength(2);
});

test('E-3: where no thread can be had the answer comes in the channel, and the reason is said once', async () => {
  const app = await start();
  const hint = 'I need "Create Public Threads" in #general.';
  app.channel.refuseNext('openThread', 'channel-permission-denied', hint);
  await app.channel.say('hello', mention('m90'));
  await eventually(() => app.channel.texts()).toEqual([
    `I answer here, since I could not open a thread: ${hint}`,
    're: hello',
  ]);
  expect(await app.read.sessions.get(inThread('m90'))).toMatchObject({ route: { conversation: 'general' } });
  expect((await app.read.sessions.get(inThread('m90')))?.route).not.toHaveProperty('thread');
  app.channel.refuseNext('openThread', 'channel-permission-denied', hint);
  await app.channel.say('again', mention('m91'));
  await eventually(() => app.channel.texts()).toContain('re: again');
  expect(app.channel.texts()).toHaveLength(3);
});

test('a run that was stopped before its thread was open stays stopped', async () => {
  const app = await start();
  app.channel.refuseNext('openThread', 'channel-unreachable');
  await app.channel.say('hello', mention('m90'));
  await app.channel.say('/stop', { ...mention('m91'), thread: 'm90' });
  await eventually(() => app.channel.threads).toHaveLength(1);
  await app.channel.say('more', { ...mention('m92'), thread: 'm90' });
  await eventually(() => app.channel.texts('m90')).toEqual(['re: more']);
});

test.each([
  ['a command', '/status', { event: { isAddressed: true, isMention: true } }],
  ['a reply to the bot that does not mention it', 'hello', { event: { isAddressed: true } }],
  ['a direct message', 'hello', { isDirect: true, user: 'owner', event: { isMention: true } }],
] as const)('%s opens no thread', async (_what, text, saying) => {
  const app = await start();
  const { receipt } = await app.channel.say(text, { id: 'm90', ...saying });
  expect(receipt.status).not.toBe('dropped');
  if (receipt.status === 'admitted') await eventually(() => app.channel.texts()).toHaveLength(1);
  expect(app.channel.threads).toEqual([]);
});

test.each([
  [{ autoThread: true, guilds: { 10: { channels: { 20: { autoThread: false } } } } }, 0],
  [{ guilds: { 10: { channels: { 20: { autoThread: true } } } } }, 1],
  [{ guilds: { 10: { channels: { 30: { autoThread: true } } } } }, 0],
  [{ autoThread: false, accounts: { default: { autoThread: true } } }, 1],
  [{}, 0],
])(
  'the channel decides before the account whether mentions get threads: %j gives %i',
  async (keys, count) => {
    const app = await start({ config: { channels: { discord: { groupPolicy: 'open', ...keys } } } });
    await app.channel.say('hello', {
      ...mention('m90', { place: { space: '10' } }),
      user: 'owner',
      conversation: '20',
    });
    await eventually(() => app.channel.messages).toHaveLength(1);
    expect(app.channel.threads).toHaveLength(count);
  },
);

test('a place whose threads are not named by their message answers in the channel', async () => {
  const app = await start({ capabilities: { threadsAreNamedByMessage: false } });
  await app.channel.say('hello', mention('m90'));
  await eventually(() => app.channel.texts()).toEqual(['re: hello']);
});

test('X7: the new thread is looked at after a time away, from its first message on', async () => {
  const app = await start();
  await app.channel.say('hello', mention('m90'));
  const cursors = await app.channel.cursors();
  expect(cursors.map(({ address, eventId }) => [address.thread, eventId])).toEqual(
    expect.arrayContaining([
      ['m90', 'm90'],
      [undefined, 'm90'],
    ]),
  );
});
