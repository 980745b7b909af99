/** Slash commands, buttons and completion through the Discord adapter: each is acknowledged in time and answered. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { DiscordAdapterParts } from '../../adapters/discord/account.ts';
import type { CommandSpec } from '../../src/core/command-grammar.ts';
import { AppError } from '../../src/errors.ts';
import type { ChannelHandlers, InboundMessage } from '../../src/ports/channel.ts';
import { fakeWithGuild, startAdapter } from '../support/discord-adapter.ts';
import { card } from '../support/discord-outbound.ts';
import { createMapMemory } from '../support/map-memory.ts';
import { until } from '../support/until.ts';

const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'subagents spawn',
    summary: 'Start a subagent',
    options: {
      agentId: { summary: 'The agent', type: 'word', isRequired: true, completes: 'agent' },
      task: { summary: 'What it is to do', type: 'text', isRequired: true },
      model: { summary: 'Another model', type: 'word', isFlag: true, completes: 'model' },
    },
    permission: 'authorized',
    where: 'anywhere',
  },
  { name: 'status', summary: 'How it is', options: {}, permission: 'authorized', where: 'anywhere' },
];
const RECEIPT = { status: 'command', command: 'status' } as const;

async function started(
  message: (message: InboundMessage) => Promise<unknown>,
  {
    parts = {},
    handlers = {},
  }: { parts?: Partial<DiscordAdapterParts>; handlers?: Partial<ChannelHandlers> } = {},
  options = {},
) {
  const world = await fakeWithGuild(options);
  const { fake } = world;
  const under = await startAdapter(fake, {
    commands: COMMANDS,
    parts,
    handlers: {
      message: async (inbound) => {
        await message(inbound);
        return RECEIPT;
      },
      ...handlers,
    },
  });
  await until(() => fake.world.commands.size === 2, { what: 'the commands' });
  return { ...world, ...under };
}

test('CMD-24: a command arrives with its options, and as it would be typed', async () => {
  const seen: InboundMessage[] = [];
  const { general, guild, user } = await started(async (message) => {
    seen.push(message);
    await message.reply({ text: 'started' });
  });
  const used = user.runCommand(general, '/subagents spawn', {
    agentid: 'main',
    task: 'count to ten',
    model: 'a/b',
  });
  expect((await used.reply()).content).toBe('started');
  expect(used.isEphemeral).toBe(true);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toMatchObject({
    address: { chatType: 'channel', conversation: general.id },
    eventId: used.interaction.id,
    sender: { id: user.id, name: 'ann' },
    source: 'command',
    isAddressed: true,
    text: '/subagents spawn main count to ten --model a/b',
    command: { name: 'subagents spawn', options: { agentid: 'main', task: 'count to ten', model: 'a/b' } },
    place: { space: guild.id },
  });
});

test('CMD-26 C6: a slow command is put off in time, and its answer takes the place of the sign', async () => {
  const { general, user } = await started(async (message) => {
    await pause(1_500);
    await message.reply({ text: 'at last' });
  });
  const used = user.runCommand(general, '/status');
  await used.acknowledged();
  expect(used.isDeferred).toBe(true);
  expect(used.ackMs).toBeLessThan(1_500);
  expect((await used.reply()).content).toBe('at last');
  expect(used.interaction.followups).toEqual([]);
});

test('CMD-26: with slashCommand.ephemeral off everybody sees the answer, but never what is for one person', async () => {
  const answers = [{ text: 'for all' }, { text: 'for you', isPrivate: true }];
  const { general, user } = await started(async (message) => message.reply(answers.shift()!), {
    parts: { commands: { isNative: true, isEphemeral: false } },
  });
  const first = user.runCommand(general, '/status');
  await first.reply();
  expect(first.isEphemeral).toBe(false);
  const second = user.runCommand(general, '/status');
  await second.reply();
  expect(second.isEphemeral).toBe(true);
});

test('a private answer to a command that was put off in public is seen by one person', async () => {
  const { fake, general, user } = await started(
    async (message) => {
      await pause(1_200);
      await message.reply({ text: 'for you', isPrivate: true });
    },
    { parts: { commands: { isNative: true, isEphemeral: false } } },
  );
  const used = user.runCommand(general, '/status');
  await until(() => user.ephemerals.some(({ content }) => content === 'for you'), { what: 'the answer' });
  expect(used.isDeferred).toBe(true);
  expect(fake.visible(general)).toEqual([]);
});

test('a long answer goes on in followups', async () => {
  const { general, user } = await started((message) =>
    message.reply({ text: `${'a'.repeat(1_500)}\n\n${'b'.repeat(1_500)}` }),
  );
  const used = user.runCommand(general, '/status');
  expect((await used.reply()).content).toMatch(/^a+$/);
  expect((await used.followup()).content).toMatch(/^b+$/);
});

test('a command that speaks for itself is acknowledged with a word', async () => {
  const { general, user } = await started(async () => undefined);
  const used = user.runCommand(general, '/status');
  expect((await used.reply()).content).toBe('Done.');
  expect(used.isEphemeral).toBe(true);
});

test('P3: a command that is dropped without a word is refused in private', async () => {
  const { general, user } = await started(async () => undefined, {
    handlers: { message: async () => ({ status: 'dropped', reason: 'groups-disabled' }) },
  });
  const used = user.runCommand(general, '/status');
  expect((await used.reply()).content).toBe('You may not do that here.');
  expect(used.isEphemeral).toBe(true);
});

test('C6: while the store is busy the command is put off, and done once', async () => {
  let attempts = 0;
  const { general, user } = await started(async (message) => {
    attempts += 1;
    if (attempts < 5) throw new AppError('store-busy', 'busy');
    await message.reply({ text: 'done after all' });
  });
  const used = user.runCommand(general, '/status');
  expect((await used.reply()).content).toBe('done after all');
  expect(used.ackMs).toBeLessThan(2_500);
});

test('E-6 C6: what comes after the life of the interaction is said in the place, unless it is for one person', async () => {
  const { fake, general, user } = await started(
    async (message) => {
      await pause(1_300);
      await message.reply({ text: `late ${message.eventId}`, isPrivate: message.text !== '/status' });
    },
    {},
    { interactionTokenLifeMs: 1_000 },
  );
  const shared = user.runCommand(general, '/status');
  const kept = user.runCommand(general, '/subagents spawn', { agentid: 'main', task: 'x' });
  await fake.waitForReply(general, { matching: `late ${shared.interaction.id}` });
  await until(() => fake.journal.of(new RegExp(`PATCH /webhooks/.*${kept.interaction.token}`)).length > 0, {
    what: 'the try',
  });
  expect(fake.visible(general)).toHaveLength(1);
});

test('C6: an answer that came too late is logged, and said in the place', async () => {
  const { fake, general, user, lines } = await started(
    (message) => message.reply({ text: 'too late' }),
    {},
    { interactionDeadlineMs: -1 },
  );
  user.runCommand(general, '/status');
  await fake.waitForReply(general, { matching: 'too late' });
  expect(lines.map(({ message }) => message)).toContain('an interaction was answered too late');
});

test('an answer whose line was cut is there once', async () => {
  const { fake, general, user } = await started((message) => message.reply({ text: 'once' }));
  fake.faults.cutAfter(/POST \/interactions\/.*callback/, 1);
  const used = user.runCommand(general, '/status');
  expect((await used.reply()).content).toBe('once');
  await until(() => fake.journal.of(/PATCH \/webhooks/).length === 1, { what: 'the second try' });
  expect(used.interaction.followups).toEqual([]);
});

test('autocomplete offers what the option could become, up to 25, with the values before it in view', async () => {
  const asked: string[] = [];
  const { general, user } = await started(async () => undefined, {
    handlers: {
      complete: async (...given: unknown[]) => {
        const typed = given[0] as { text: string };
        const text = typeof given[1] === 'string' ? given[1] : typed.text;
        asked.push(text);
        const before = text.slice(0, text.lastIndexOf(' ') + 1);
        return [
          { text: `${before}main `, label: 'main', summary: 'agent' },
          { text: `${before}"two words" `, label: 'two words', summary: '' },
          { text: `${before}--model `, label: '--model', summary: 'a flag' },
        ];
      },
    },
  });
  const choices = await user.autocomplete(general, '/subagents spawn', { option: 'agentid', partial: 'm' });
  expect(choices).toEqual([
    { name: 'main: agent', value: 'main' },
    { name: 'two words', value: 'two words' },
  ]);
  const others = { agentid: 'main', task: 'x y' };
  await user.autocomplete(general, '/subagents spawn', { option: 'model', partial: 'gp', others });
  expect(asked).toEqual(['/subagents spawn m', '/subagents spawn main "x y" --model gp']);
});

test('a button gives its command in its thread, for its presser; others are told kindly', async () => {
  const seen: InboundMessage[] = [];
  const memory = createMapMemory();
  const { adapter, fake, general, user } = await started(
    async (message) => {
      seen.push(message);
      if (message.text.startsWith('/note')) await message.reply({ text: 'noted' });
    },
    { parts: { memory } },
  );
  const address = {
    channel: 'discord',
    account: 'default',
    chatType: 'channel',
    conversation: general.id,
  } as const;
  const long = `/note ${'x'.repeat(150)}`;
  const actions = [
    { label: 'Unfocus', command: '/unfocus', thread: '42', presser: user.id },
    { label: 'Note', command: long },
  ];
  const { messageId } = await adapter.send({ id: 'c1', address, text: '', card: card({ actions }) });
  const shown = fake.messages(general).find(({ id }) => id === messageId)!;

  const unfocus = user.clickButton(shown, 'Unfocus');
  await unfocus.acknowledged();
  expect(unfocus.isDeferred).toBe(true);
  expect(seen[0]).toMatchObject({
    source: 'button',
    text: '/unfocus',
    presser: user.id,
    address: { ...address, thread: '42' },
    sender: { id: user.id },
  });
  const note = user.clickButton(shown, 'Note');
  expect((await note.reply()).content).toBe('noted');
  expect(note.isEphemeral).toBe(true);
  expect(seen[1]).toMatchObject({ text: long, address });
  expect(seen[1]).not.toHaveProperty('presser');

  const old = user.clickCustomId(shown, 'skein#gone');
  expect((await old.reply()).content).toBe('That button does nothing any more.');
  expect(fake.visible(general)).toHaveLength(1);
});
