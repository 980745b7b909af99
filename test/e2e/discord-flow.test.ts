/** Discord from end to end: the real client at a Discord of our own, with scripted models. */
import { expect, test } from 'vitest';
import { discordWorld } from '../support/discord-app.ts';

test('a mention in a channel is answered there, with a reference to the message', async () => {
  const { fake, general, user, start } = await discordWorld();
  await start();
  const asked = user.sendMessage(general, 'hello there', { mention: true });
  const reply = await fake.waitForReply(general, { matching: 'hello there' });
  expect(reply.reference?.messageId).toBe(asked.id);
});
