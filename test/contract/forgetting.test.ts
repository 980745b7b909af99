/** What is kept of events, drops and missed messages, and for how long. */
import { expect, test } from 'vitest';
import { createManualClock } from '../fakes/manual-clock.ts';
import { startTestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test('what became of a message, and why one was dropped, is forgotten after thirty days', async () => {
  const clock = createManualClock();
  const app = await startTestApp({ clock });
  const fromBot = { event: { sender: { id: 'b', name: 'b', isBot: true } } };
  await app.channel.say('hello', { id: 'old' });
  await app.channel.say('beep', { id: 'old-bot', ...fromBot });
  const { admissions } = app.read;
  const drops = async () => (await admissions.drops(9)).map(({ eventId }) => eventId);

  clock.advance(29 * DAY_MS);
  await app.channel.say('beep', { id: 'new-bot', ...fromBot });
  await eventually(() => app.channel.texts()).toContain('echo: hello');
  expect(await drops()).toEqual(['new-bot', 'old-bot']);

  clock.advance(DAY_MS + 1);
  await eventually(drops).toEqual(['new-bot']);
  expect(await admissions.result('memory', 'default', 'old')).toBeUndefined();
  expect(await admissions.result('memory', 'default', 'new-bot')).toBeDefined();
});

test('missed messages that nobody decides about within thirty days are left, and their question says so', async () => {
  const clock = createManualClock();
  const app = await startTestApp({ clock });
  const place = {
    channel: 'memory',
    account: 'default',
    chatType: 'channel',
    conversation: 'general',
  } as const;
  await app.channel.say('/status', { id: 'm80', user: 'ann' });
  await app.channel.miss({ text: 'hello?', id: 'm81', user: 'ann', at: clock.now() - HOUR_MS });
  await eventually(() => app.channel.texts()).toEqual([expect.stringContaining('Shall I answer it?')]);

  clock.advance(29 * DAY_MS);
  await app.channel.say('/status', { user: 'ann', conversation: 'elsewhere' });
  expect(await app.read.cursors.missed(place)).toHaveLength(1);
  expect(await app.read.cursors.get(place)).toBeDefined();

  clock.advance(DAY_MS + 1);
  await eventually(() => {
    clock.advance(1_000);
    return app.read.cursors.missed(place);
  }).toEqual([]);
  await eventually(() => app.channel.texts()).toEqual([expect.stringContaining('I leave it unanswered')]);
  expect(await app.read.cursors.get(place)).toBeUndefined();
  expect(await app.read.admissions.drops(9)).toMatchObject([{ eventId: 'm81', reason: 'missed' }]);
});
