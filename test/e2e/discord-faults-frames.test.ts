/** What nobody can read comes over the gateway: the process lives on, and what can be read is answered. */
import { expect, test } from 'vitest';
import { discordProcesses } from '../support/discord-process.ts';
import { expectAnswersIn } from '../support/discord-questions.ts';
import { until } from '../support/until.ts';

const dispatch = (t: string, d: unknown, s = 1) => JSON.stringify({ op: 0, t, s, d });
const person = { user: { id: '111111111111111111' } };
const command = { type: 2, id: '1', token: 't', application_id: '1', ...person };

const FRAMES: readonly (string | Uint8Array)[] = [
  '<html>bad gateway</html>',
  '{"op":0,"t":"MESSAGE_CREATE","s":',
  'null',
  '{"op":99}',
  '{"op":10,"d":null}',
  Uint8Array.of(1, 2, 3, 4),
  JSON.stringify({ op: 0, t: 'MESSAGE_CREATE', s: 1 }),
  dispatch('SOMETHING_NEW', { a: 1 }),
  dispatch('MESSAGE_CREATE', { id: '1', channel_id: '2', author: null }),
  dispatch('INTERACTION_CREATE', null),
  dispatch('INTERACTION_CREATE', command),
  dispatch('GUILD_CREATE', null),
  dispatch('GUILD_CREATE', {
    id: '999999999999999999',
    channels: [{ id: '1', type: 4711 }],
    members: [null],
  }),
  dispatch('GUILD_DELETE', null),
  dispatch('THREAD_UPDATE', null),
  dispatch('USER_UPDATE', null),
  dispatch('PRESENCE_UPDATE', {}),
  dispatch('READY', null),
];

test('X7: frames that nobody can read do not end the process, and the messages after each are answered', async () => {
  const { fake, general, user, start } = await discordProcesses();
  const skein = await start();
  const asked: string[] = [];
  for (const [n, frame] of FRAMES.entries()) {
    fake.gateway.sendRaw(frame);
    asked.push(`q-${n}`);
    user.sendMessage(general, `q-${n}`, { mention: true });
    await expectAnswersIn(fake, general, asked);
  }
  await until(() => skein.output().stderr.includes('could not read what the gateway sent'), {
    what: 'a log',
  });
  expect(await skein.terminate()).toBe(0);
});
