/** Other bots are not heard; where they are allowed, no two bots talk to each other for ever. */
import { expect, test } from 'vitest';
import { APPLICATION_FLAGS } from '../fakes/discord/index.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { discordWorld } from '../support/discord-app.ts';

async function withPeer(discord: Record<string, unknown>) {
  const world = await discordWorld({ flags: APPLICATION_FLAGS.messageContent });
  const { fake, general, user } = world;
  const peer = fake.addUser({ name: 'peer', isBot: true });
  const models = createScriptedModels((_request) => `answer ${models.calls.length}`);
  await world.start({ models, discord });
  const said = () => fake.visible(general).filter(({ author }) => author === 'skein');
  /** A person asks and is answered: whatever came before has been dealt with. */
  const person = async () => {
    const asked = user.sendMessage(general, 'a person', { mention: true });
    return fake.waitForReply(general, { after: asked });
  };
  return { ...world, peer, models, said, person };
}

test('messages of other bots are dropped by default, in channels, replies and private messages', async () => {
  const { fake, general, peer, models, said, person } = await withPeer({ dmPolicy: 'open' });
  const reply = await person();
  peer.sendMessage(general, 'hello', { mention: true });
  peer.sendMessage(general, 'hello', { replyTo: reply });
  peer.sendMessage(general, '/status', { mention: true });
  peer.sendDm('hello');
  await person();
  expect(models.calls).toHaveLength(2);
  expect(said()).toHaveLength(2);
  expect(fake.visible(peer.dm).filter(({ author }) => author === 'skein')).toEqual([]);
});

test('J8: two bots that answer each other fall silent after six turns, until a person speaks', async () => {
  const { fake, general, peer, models, said, person } = await withPeer({ allowBots: true });
  for (const round of [1, 2]) {
    const before = models.calls.length;
    for (let turn = 1; turn <= 6; turn++) {
      const asked = peer.sendMessage(general, `turn ${turn}`, { mention: true });
      await fake.waitForReply(general, { after: asked });
    }
    for (let turn = 7; turn <= 12; turn++) peer.sendMessage(general, `turn ${turn}`, { mention: true });
    await person();
    expect(models.calls).toHaveLength(before + 7);
    expect(said()).toHaveLength(round * 7);
  }
});

test('J8: a bot that is allowed gives no commands, and is told of no refusal', async () => {
  const { general, peer, models, said, person } = await withPeer({ allowBots: true });
  peer.sendMessage(general, '/stop', { mention: true });
  peer.sendMessage(general, '!subagents spawn dig', { mention: true });
  await person();
  expect(models.calls).toHaveLength(1);
  expect(said()).toHaveLength(1);
});
