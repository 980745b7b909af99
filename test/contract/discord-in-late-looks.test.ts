/** Looks for missed messages that Discord does not let come to an end: they go on, and live messages do not wait for them. */
import { expect, test } from 'vitest';
import type { Cursor, InboundMessage } from '../../src/ports/channel.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { fakeWithGuild, isReady, startAdapter } from '../support/discord-adapter.ts';
import { at } from '../support/discord-outbound.ts';
import { until } from '../support/until.ts';

const LIVE_WAIT_MS = 15_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
const LOOK = /GET \/channels\/\d+\/messages/;

const textsOf = (messages: readonly InboundMessage[]) => messages.map(({ text }) => text);

/** A message was missed, Discord does not say which, and a live message was heard after the wait for it. */
async function amidTrouble() {
  const clock = createManualClock(Date.now());
  const world = await fakeWithGuild();
  const { fake, general, user } = world;
  const known = user.sendMessage(general, 'known', { mention: true });
  user.sendMessage(general, 'missed', { mention: true });
  fake.faults.fail(LOOK, { status: 503 });
  let cursor: Cursor = { address: at(general), eventId: known.id };
  const { told, adapter, lines } = await startAdapter(fake, {
    parts: { clock },
    handlers: { cursors: async () => [cursor] },
  });
  const paused = (times: number) => {
    const pauses = () => lines.filter(({ message }) => message.includes('looked for again')).length;
    return until(() => pauses() >= times, { what: `pause ${times}`, seen: pauses });
  };
  await paused(1);
  const live = user.sendMessage(general, 'live', { mention: true });
  user.sendDm('elsewhere');
  await until(() => told.messages.length > 0, { what: 'the other place' });
  expect(textsOf(told.messages)).toEqual(['elsewhere']);
  clock.advance(LIVE_WAIT_MS);
  await until(() => told.messages.length > 1, { what: 'the live message' });
  expect(textsOf(told.messages)).toEqual(['elsewhere', 'live']);
  cursor = { ...cursor, eventId: live.id };
  const missed = async () => {
    await until(() => told.missed.length > 0, { what: 'what was missed' });
    return told.missed.map(({ messages }) => textsOf(messages));
  };
  return { ...world, clock, told, adapter, paused, missed };
}

test('X7: a look that fails for long goes on after growing pauses, from where it began', async () => {
  const { fake, clock, paused, told, missed } = await amidTrouble();
  for (let pause = 2; pause < 12; pause++) {
    await paused(pause);
    clock.advance(LONGEST_PAUSE_MS);
  }
  await paused(12);
  expect(told.missed).toEqual([]);
  fake.faults.clear();
  clock.advance(LONGEST_PAUSE_MS);
  expect(await missed()).toEqual([['missed', 'live']]);
});

test('X7: a resumed session looks again at once where a look has failed', async () => {
  const { fake, adapter, paused, missed } = await amidTrouble();
  await paused(2);
  fake.faults.clear();
  fake.dropGateway();
  await until(() => fake.gateway.resumes.length === 1, { what: 'the resume' });
  await isReady(adapter);
  expect(await missed()).toEqual([['missed', 'live']]);
});

test('X7: a new session looks behind the place’s older cursor, although it has moved', async () => {
  const { fake, general, user, paused, missed } = await amidTrouble();
  await paused(2);
  fake.faults.clear();
  fake.dropGateway({ isResumable: false });
  user.sendMessage(general, 'between sessions', { mention: true });
  expect(await missed()).toEqual([['missed', 'live', 'between sessions']]);
});

test('X7: live messages do not wait until it is their place’s turn to be looked at', async () => {
  const clock = createManualClock(Date.now());
  const { fake, guild, general, user } = await fakeWithGuild();
  const rooms = [1, 2, 3, 4].map((n) => fake.addChannel(guild, { name: `room ${n}`, type: 'text' }));
  const known = user.sendMessage(general, 'known', { mention: true });
  user.sendMessage(general, 'missed', { mention: true });
  const gate = fake.faults.holdBefore(LOOK, rooms.length);
  const { told } = await startAdapter(fake, {
    parts: { clock },
    cursors: [...rooms, general].map((channel) => ({ address: at(channel), eventId: known.id })),
  });
  await until(() => fake.journal.of(LOOK).length === rooms.length, { what: 'the looks' });
  user.sendMessage(general, 'live', { mention: true });
  user.sendDm('elsewhere');
  await until(() => told.messages.length > 0, { what: 'the other place' });
  expect(textsOf(told.messages)).toEqual(['elsewhere']);
  clock.advance(LIVE_WAIT_MS);
  await until(() => told.messages.length > 1, { what: 'the live message' });
  expect(told.missed).toEqual([]);
  gate.release();
  await until(() => told.missed.length > 0, { what: 'what was missed' });
  expect(textsOf(told.missed[0]!.messages)).toEqual(['missed', 'live']);
});
