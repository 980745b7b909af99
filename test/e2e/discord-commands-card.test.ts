/** The card of a subagent: what it shows from beginning to end, and what its buttons do for whom. */
import { expect, test } from 'vitest';
import type { Channel, FakeDiscord, Message } from '../fakes/discord/index.ts';
import { createScriptedModels, type ScriptedModels } from '../fakes/scripted-models.ts';
import { discordWorld } from '../support/discord-app.ts';
import { stageScript } from '../support/discord-command-cases.ts';
import { until } from '../support/until.ts';

/** A subagent at work in a thread of its own. */
async function atWork() {
  const world = await discordWorld();
  const { fake, general, user, start } = world;
  const models = createScriptedModels(stageScript);
  const app = await start({ models });
  user.sendMessage(general, 'delegate slowly', { mention: true });
  const thread = await fake.waitForThread({ parent: general, named: 'slowly' });
  const card = await fake.waitForReply(general, { matching: /\*\*slowly\*\* · Working/ });
  await until(() => models.held().length > 0, { what: 'the subagent to be at work' });
  await fake.waitForReply(general, { matching: 'delegated' });
  return { ...world, app, models, thread, card };
}

const shown = (fake: FakeDiscord, place: Channel, { id }: Message) =>
  fake.visible(place).find((message) => message.id === id)!;

const redrawn = (fake: FakeDiscord, card: Message, words: RegExp) =>
  fake.waitFor(`a card like ${words}`, () => (words.test(card.content) ? true : undefined));

const notices = (fake: FakeDiscord, thread: Channel, words: string) =>
  fake.visible(thread).filter(({ text }) => text.includes(words));

function release(models: ScriptedModels, text: string): void {
  for (const call of models.held()) models.release(call, text);
}

test('it says what is at work where and since when, then how it ended, in one message', async () => {
  const { fake, general, models, thread, card } = await atWork();
  expect(card.content).toMatch(
    new RegExp(`^⚙️ \\*\\*slowly\\*\\* · Working · <#${thread.id}>\\n-# started <t:\\d+:R>$`),
  );
  expect(shown(fake, general, card).buttons).toEqual(['Stop', 'Unfocus', 'Details']);
  release(models, 'all seen to');
  await redrawn(fake, card, /· Done ·/);
  expect(card.content).toMatch(
    new RegExp(`^✅ \\*\\*slowly\\*\\* · Done · <#${thread.id}>\\n-# took .+ · 10 tokens in, 5 out$`),
  );
  await fake.waitFor('its last buttons', () =>
    shown(fake, general, card).buttons.join() === 'Unfocus,Details' ? true : undefined,
  );
  await fake.waitForReply(thread, { matching: 'all seen to' });
});

test('Stop stops it once, however often it is pressed', async () => {
  const { fake, general, user, thread, card, models } = await atWork();
  const presses = [user.clickButton(card, 'Stop'), user.clickButton(card, 'Stop')];
  const said = await Promise.all(presses.map(async (press) => (await press.reply()).content));
  expect(said.sort()).toEqual(['**slowly** was not running.', 'Stopped **slowly**.']);
  for (const press of presses) expect(press.isEphemeral).toBe(true);
  await redrawn(fake, card, /^⏹️ \*\*slowly\*\* · Stopped · /);
  await fake.waitForReply(thread, { matching: '**slowly** was stopped.' });
  expect(models.calls.map(({ state }) => state)).toContain('aborted');
  await fake.waitFor('the button to go', () =>
    shown(fake, general, card).buttons.join() === 'Unfocus,Details' ? true : undefined,
  );
  expect(notices(fake, thread, 'was stopped')).toHaveLength(1);
});

test('Unfocus leaves the thread once, and then goes from the card', async () => {
  const { fake, general, user, thread, card, models } = await atWork();
  const presses = [user.clickButton(card, 'Unfocus'), user.clickButton(card, 'Unfocus')];
  await fake.waitForReply(thread, { matching: 'it was unfocused' });
  expect((await presses[1]!.reply()).content).toBe('Nothing is focused here. `/agents` shows what is where.');
  await presses[0]!.acknowledged();
  release(models, 'all seen to');
  await fake.waitFor('the button to go', () =>
    shown(fake, general, card).buttons.join() === 'Details' ? true : undefined,
  );
  expect(notices(fake, thread, 'unfocused')).toHaveLength(1);
});

test('Details tells anybody who is heard, and nobody else sees it', async () => {
  const { fake, general, thread, card } = await atWork();
  const other = fake.addUser({ name: 'bob' });
  const before = fake.visible(general).length;
  const pressed = other.clickButton(card, 'Details');
  const { content } = await pressed.reply();
  expect(pressed.isEphemeral).toBe(true);
  for (const fact of [
    '**slowly** (#1)',
    'Agent: main',
    `<#${thread.id}>`,
    'Mode: session',
    'Session: `agent:',
  ])
    expect(content).toContain(fact);
  expect(fake.visible(general)).toHaveLength(before);
});

test('Stop and Unfocus are for whoever asked and for owners; others are told so, and nothing happens', async () => {
  const { fake, user, thread, card, models } = await atWork();
  const other = fake.addUser({ name: 'bob' });
  for (const label of ['Stop', 'Unfocus']) {
    const refused = other.clickButton(card, label);
    expect((await refused.reply()).content, label).toBe('That button is for whoever asked.');
    expect(refused.isEphemeral).toBe(true);
  }
  expect(models.held()).toHaveLength(1);
  expect(notices(fake, thread, 'unfocused')).toEqual([]);
  expect((await fake.owner.clickButton(card, 'Stop').reply()).content).toBe('Stopped **slowly**.');
  expect(user.ephemerals).toEqual([]);
});

test('buttons work after a restart; old, forged and unknown ones are answered politely', async () => {
  const { fake, general, user, start, app, card, thread } = await atWork();
  const [stop] = shown(fake, general, card).buttons;
  expect(stop).toBe('Stop');
  const row = card.components[0] as { components: readonly { custom_id: string; label: string }[] };
  const idOf = (label: string) => row.components.find((button) => button.label === label)!.custom_id;
  const ids = { stop: idOf('Stop'), unfocus: idOf('Unfocus') };
  await app.stop();

  await start({ models: createScriptedModels(stageScript) });
  expect((await user.clickButton(card, 'Details').reply()).content).toContain('**slowly** (#1)');
  const stopped = user.clickCustomId(card, ids.stop);
  expect((await stopped.reply()).content).toBe('Stopped **slowly**.');
  await redrawn(fake, card, /· Stopped ·/);
  const again = user.clickCustomId(card, ids.stop);
  expect((await again.reply()).content).toBe('**slowly** was not running.');
  user.clickCustomId(card, ids.unfocus);
  await fake.waitForReply(thread, { matching: 'it was unfocused' });
  for (const id of ['approve:42', 'skein|', 'skein#nowhere', 'skein|||/gone 1', 'skein|||hello']) {
    const press = user.clickCustomId(card, id);
    expect((await press.reply()).content, id).toBe('That button does nothing any more.');
    expect(press.isEphemeral, id).toBe(true);
  }
});

test('E-20: a forged button does not reach a thread of another channel or server', async () => {
  const { fake, user, thread, app, models } = await atWork();
  const lobby = fake.channel(fake.addGuild({ name: 'Elsewhere', channels: ['lobby'] }), 'lobby');
  fake.addMember(fake.world.guilds.get(lobby.guildId!)!, user);
  const message = user.sendMessage(lobby, 'nothing');
  const before = fake.visible(thread);
  const calls = models.calls.length;
  for (const command of ['/steer say it here', '/subagents spawn main say it here', '/status', '/stop']) {
    const press = user.clickCustomId(message, `skein|${thread.id}||${command}`);
    expect((await press.reply()).content, command).toBe('That button does nothing any more.');
  }
  expect(fake.visible(thread)).toEqual(before);
  expect(models.calls).toHaveLength(calls);
  await app.stop();
});
