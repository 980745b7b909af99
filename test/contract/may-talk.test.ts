/** Whether somebody may talk, asked before anything is done for their message. */
import { expect, test } from 'vitest';
import type { Saying } from '../fakes/memory-channel.ts';
import { startTestApp } from '../support/app.ts';

const files = [{ name: 'notes.txt', refused: 'it is not fetched yet' }];
const toTheBot = { isAddressed: true, place: { space: '10' }, files };

test('whether somebody may talk follows the rules of a message, and asking leaves no trace', async () => {
  const app = await startTestApp({
    channelName: 'discord',
    capabilities: { needsMention: true },
    config: { channels: { discord: { guilds: { 10: {} } } } },
  });
  const may = (saying: Saying) => app.channel.mayTalk('', { user: '11', ...saying });
  expect(await may({ event: toTheBot })).toBe(true);
  expect(await may({ event: { ...toTheBot, isAddressed: false } })).toBe(false);
  expect(await may({ event: { ...toTheBot, place: { space: '20' } } })).toBe(false);
  expect(await may({ event: toTheBot, isDirect: true })).toBe(false);
  expect(await may({ event: toTheBot, isDirect: true, user: 'owner' })).toBe(true);
  expect(await app.read.admissions.drops(1)).toEqual([]);
  expect(await app.app.pairings.pending()).toEqual([]);
});
