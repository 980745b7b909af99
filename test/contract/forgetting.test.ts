/** What is kept of events and drops, and for how long. */
import { expect, test } from 'vitest';
import { createManualClock } from '../fakes/manual-clock.ts';
import { startTestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

const DAY_MS = 24 * 3_600_000;

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
