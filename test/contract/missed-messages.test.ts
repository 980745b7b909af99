/** Messages that came in while nobody listened: what is looked for, what is answered, and what people are asked about. */
import { expect, test } from 'vitest';
import type { RunCard } from '../../src/core/card.ts';
import { createManualClock, type ManualClock } from '../fakes/manual-clock.ts';
import type { Missed } from '../fakes/memory-channel.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const OPEN = { groupPolicy: 'open', dmPolicy: 'open', guilds: { '*': { requireMention: false } } };

interface Started {
  readonly clock?: ManualClock;
  readonly after?: TestApp;
  readonly catchUp?: 'ask' | 'answer' | 'off';
}

const start = ({ clock = createManualClock(), after, catchUp }: Started = {}) =>
  startTestApp({
    clock,
    channelName: 'discord',
    models: createScriptedModels(chatScript),
    // Each message gets an answer of its own, so that they can be counted.
    config: {
      messages: { queue: { mode: 'followup' } },
      channels: { discord: { ...OPEN, ...(catchUp && { catchUp }) } },
    },
    ...(after && { after }),
  });

const text = (id: string, at: number, more: Partial<Missed> = {}): Missed => ({
  id,
  text: `words of ${id}`,
  at,
  user: 'ann',
  ...more,
});

const asked = (app: TestApp) => app.channel.messages.filter(({ text }) => text.includes('while I was away'));
const buttons = (card: RunCard | undefined) => card?.actions.map(({ label, command }) => [label, command]);
const dropsOf = async (app: TestApp) =>
  (await app.read.admissions.drops(20)).map(({ eventId, reason }) => [eventId, reason]);

/** Waits until a message that is said now has been answered: whatever was to be answered before it has been. */
async function settled(app: TestApp, word = 'ping'): Promise<void> {
  await app.channel.say(word, { user: 'zoe', conversation: 'elsewhere' });
  await eventually(() => app.channel.texts()).toContain(`re: ${word}`);
}

test('X7: what was missed in a short gap is answered once, in order, with the gating of live messages', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  const at = clock.now() - MINUTE_MS;
  const bot = { event: { sender: { id: 'b', name: 'b', isBot: true } } };
  const all = [text('m91', at), text('m92', at, bot), text('m93', at + 1)];
  await app.channel.miss(...all);
  await eventually(() => app.channel.texts()).toEqual(['re: words of m91', 're: words of m93']);
  await app.channel.miss(...all);
  await app.channel.say('words of m93', { id: 'm93', user: 'ann' });
  await settled(app);
  expect(app.channel.texts()).toEqual(['re: words of m91', 're: words of m93', 're: ping']);
  expect(await dropsOf(app)).toEqual([['m92', 'sender-is-bot']]);
});

test('X7: after a longer gap one note asks, and nothing is answered until somebody says so', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  const at = clock.now() - 6 * MINUTE_MS;
  const all = [text('m91', at), text('m92', at), text('m93', clock.now())];
  await app.channel.miss(...all);
  await app.channel.miss(...all);
  await eventually(() => asked(app)).toHaveLength(1);
  const note = asked(app)[0]!;
  expect(note.text).toBe('3 messages came in while I was away: answer all, only the newest, or none?');
  expect(buttons(note.card)).toEqual([
    ['All', '/missed all'],
    ['Only the newest', '/missed newest'],
    ['None', '/missed none'],
  ]);
  await settled(app);
  expect(app.models.calls).toHaveLength(1);

  const heard = await app.channel.say('/missed all', { event: { source: 'button' } });
  expect(heard.receipt).toEqual({ status: 'command', command: 'missed' });
  await eventually(() => app.channel.texts().filter((said) => said.startsWith('re: words'))).toEqual([
    're: words of m91',
    're: words of m92',
    're: words of m93',
  ]);
  await eventually(() => note).toMatchObject({
    text: '3 messages came in while I was away. I answer them all.',
  });
  expect(note.card).toBeUndefined();
  expect((await app.channel.say('/missed all')).replies).toEqual([
    'No missed message waits here for an answer.',
  ]);
  await app.channel.say('words of m92', { id: 'm92', user: 'ann' });
  await settled(app, 'pong');
  expect(app.channel.texts().filter((said) => said === 're: words of m92')).toHaveLength(1);
});

test.each([
  ['newest', ['re: words of m92'], [['m91', 'missed']], 'I answer only the newest.'],
  [
    'none',
    [],
    [
      ['m92', 'missed'],
      ['m91', 'missed'],
    ],
    'I leave them unanswered.',
  ],
])('/missed %s answers what was chosen and records the rest', async (choice, answers, drops, outcome) => {
  const clock = createManualClock();
  const app = await start({ clock });
  const at = clock.now() - 10 * MINUTE_MS;
  await app.channel.miss(text('m91', at), text('m92', at));
  await eventually(() => asked(app)).toHaveLength(1);
  await app.channel.say(`/missed ${choice}`);
  await eventually(() => asked(app)[0]!.text).toContain(outcome);
  await settled(app);
  expect(app.channel.texts().filter((said) => said.startsWith('re: words'))).toEqual(answers);
  expect(await dropsOf(app)).toEqual(drops);
});

test('a single missed message is asked about in the singular', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  await app.channel.miss(text('m91', clock.now() - 10 * MINUTE_MS));
  await eventually(() => asked(app)).toHaveLength(1);
  expect(asked(app)[0]!.text).toBe('1 message came in while I was away. Shall I answer it?');
  expect(buttons(asked(app)[0]!.card)).toEqual([
    ['Answer it', '/missed all'],
    ['Leave it', '/missed none'],
  ]);
});

test('messages that are held back outlive a restart, and nothing is asked twice', async () => {
  const clock = createManualClock();
  const first = await start({ clock });
  const old = [text('m91', clock.now() - 10 * MINUTE_MS), text('m92', clock.now() - 9 * MINUTE_MS)];
  await first.channel.miss(...old);
  await eventually(() => asked(first)).toHaveLength(1);
  await first.stop();

  clock.advance(10 * MINUTE_MS);
  const second = await start({ clock, after: first });
  await second.channel.miss(...old);
  await settled(second);
  expect(asked(second)).toHaveLength(1);
  await second.channel.say('and now', { id: 'm95', user: 'ann' });
  await eventually(() => second.channel.texts()).toContain('re: and now');
  expect(second.channel.texts()).not.toContain('re: words of m91');

  await second.channel.miss(text('m99', clock.now() - 6 * MINUTE_MS));
  await eventually(() => asked(second).map((note) => note.text)).toEqual([
    expect.stringContaining('3 messages'),
  ]);
  expect(second.channel.texts()).toContain('More came in meanwhile; I ask again below.');
  await second.channel.say('/missed all');
  await eventually(() => second.channel.texts()).toContain('re: words of m99');
  expect(second.channel.texts()).toContain('re: words of m91');
});

test('with catchUp "answer" everything is answered, and what is older than a day is left with its reason', async () => {
  const clock = createManualClock();
  const app = await start({ clock, catchUp: 'answer' });
  const at = clock.now() - 3 * 60 * MINUTE_MS;
  await app.channel.miss(text('m90', clock.now() - DAY_MS - 1), text('m91', at), text('m92', at));
  await eventually(() => app.channel.texts()).toEqual(['re: words of m91', 're: words of m92']);
  expect(await dropsOf(app)).toEqual([['m90', 'missed']]);
  expect(asked(app)).toEqual([]);
});

test('with catchUp "off" nothing is looked for and nothing is answered', async () => {
  const clock = createManualClock();
  const app = await start({ clock, catchUp: 'off' });
  await app.channel.say('hello', { id: 'm80' });
  await eventually(() => app.channel.texts()).toContain('re: hello');
  expect(await app.channel.cursors()).toEqual([]);
  await app.channel.miss(text('m91', clock.now()));
  await settled(app);
  expect(app.channel.texts()).toEqual(['re: hello', 're: ping']);
  expect(await dropsOf(app)).toEqual([['m91', 'missed']]);
});

test('a command among the messages that were held back is carried out, and answered where it was given', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  await app.channel.miss(text('m91', clock.now() - 10 * MINUTE_MS, { text: '/subagents list' }));
  await eventually(() => asked(app)).toHaveLength(1);
  await app.channel.say('/missed all');
  await eventually(() => app.channel.messages.filter(({ replyTo }) => replyTo === 'm91')).toMatchObject([
    { text: 'No subagents here yet.' },
  ]);
});

test('places are looked at where the bot had something to do within a week, with the newest message dealt with', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  const ids = async () =>
    (await app.channel.cursors()).map(({ address, eventId }) => [address.conversation, eventId]);
  const fromBot = { event: { sender: { id: 'b', name: 'b', isBot: true } } };
  await app.channel.say('hi', { id: 'm70', conversation: 'quiet', ...fromBot });
  await app.channel.say('hi', { id: 'm71', conversation: 'first' });
  clock.advance(1_000);
  await app.channel.say('hi', { id: 'm72', conversation: 'second' });
  await app.channel.say('hi', { id: 'm73', conversation: 'first', ...fromBot });
  await app.channel.say('/status', { id: 'm74', conversation: 'second' });
  await app.channel.say('/status', { id: 'm75', conversation: 'third', event: { source: 'command' } });
  expect(await ids()).toEqual([
    ['second', 'm74'],
    ['first', 'm73'],
  ]);
  clock.advance(7 * DAY_MS);
  expect(await ids()).toEqual([['second', 'm74']]);
});

test('an answer that the platform refuses for good keeps none of the other missed messages back', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  await app.channel.say('hi', { id: 'm80' });
  await eventually(() => app.channel.texts()).toContain('re: hi');
  const at = clock.now();
  app.channel.refuseNext('reply', 'channel-permission-denied');
  const replies = await app.channel.miss(text('m91', at, { text: '/status' }), text('m92', at));
  expect(replies).toEqual([]);
  await eventually(() => app.channel.texts()).toContain('re: words of m92');
  expect((await app.channel.cursors()).map(({ eventId }) => eventId)).toEqual(['m92']);
});

test('X7: after a crash amid missed messages, those that were not stored yet are still looked for', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  await app.channel.say('hi', { id: 'm80' });
  await eventually(() => app.channel.texts()).toContain('re: hi');
  const fromBot = text('m92', clock.now(), { event: { sender: { id: 'b', name: 'b', isBot: true } } });
  const sender = {
    name: 'ann',
    isBot: false,
    get id(): string {
      throw new Error('the process dies here');
    },
  };
  const missed = [text('m91', clock.now()), fromBot];
  const dying = app.channel.miss(...missed, text('m93', clock.now(), { event: { sender } }));
  await expect(dying).rejects.toThrow('dies here');
  expect((await app.channel.cursors()).map(({ eventId }) => eventId)).toEqual(['m80']);

  await app.channel.miss(...missed, text('m93', clock.now()));
  await eventually(() => app.channel.texts()).toEqual(['re: hi', 're: words of m91', 're: words of m93']);
  expect(await dropsOf(app)).toEqual([['m92', 'sender-is-bot']]);
});

test('X7: a bound thread is looked at before anything was heard in it, from its own id on, and long afterwards', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  await app.channel.say('spawn thread digger', { id: 'm70' });
  await eventually(() => app.channel.threads).toHaveLength(1);
  const thread = app.channel.threads[0]!.id;
  await eventually(() => app.channel.texts(thread)).toContain('re: digger');
  const ofThread = async () =>
    (await app.channel.cursors())
      .filter(({ address }) => address.thread === thread)
      .map(({ eventId }) => eventId);
  expect(await ofThread()).toEqual([thread]);
  await app.channel.miss(text('m98', clock.now(), { thread }), text('m99', clock.now(), { thread }));
  await eventually(() => app.channel.texts(thread)).toContain('re: words of m99');
  expect(app.channel.texts(thread).filter((said) => said.startsWith('re: words'))).toHaveLength(2);
  expect(await ofThread()).toEqual(['m99']);
  await app.channel.say('/session idle off', { thread });
  clock.advance(8 * DAY_MS);
  expect(await ofThread()).toHaveLength(1);
});
