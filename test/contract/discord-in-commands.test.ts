/** The registration of slash commands: only what differs is written. */
import { expect, test } from 'vitest';
import type { CommandSettings } from '../../adapters/discord/account.ts';
import { createDiscordCalls } from '../../adapters/discord/calls.ts';
import { registerCommands } from '../../adapters/discord/commands/command-registration.ts';
import { createSystemClock } from '../../adapters/node/index.ts';
import type { CommandSpec } from '../../src/core/command-grammar.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { fakeWithGuild, startAdapter } from '../support/discord-adapter.ts';
import { restAt } from '../support/discord-outbound.ts';
import { createMapMemory } from '../support/map-memory.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { until } from '../support/until.ts';

const option = { summary: 'Which one', type: 'word' } as const;
const spec = (name: string, changed: Partial<CommandSpec> = {}): CommandSpec => ({
  name,
  summary: `What ${name} does`,
  options: {},
  permission: 'authorized',
  where: 'anywhere',
  ...changed,
});
const SPECS: readonly CommandSpec[] = [
  spec('status'),
  spec('pair approve', {
    permission: 'owner',
    options: { code: { ...option, isRequired: true, completes: 'pairing' } },
  }),
  spec('pair deny', {
    permission: 'owner',
    options: { code: { ...option, isRequired: true, completes: 'pairing' } },
  }),
  spec('queue', {
    summary: 'x'.repeat(150),
    options: {
      mode: { ...option, choices: ['steer', 'collect'] },
      agentId: { ...option, isRequired: true },
      limit: { ...option, type: 'integer' },
      pause: { ...option, type: 'duration' },
    },
  }),
];

async function registering() {
  const { fake, guild } = await fakeWithGuild();
  const clock = createSystemClock();
  const { log, lines } = createRecordingLog();
  const memory = createMapMemory();
  const { call } = createDiscordCalls(restAt(fake), fake.token, clock);
  const signal = new AbortController().signal;
  const register = (specs: readonly CommandSpec[], settings: Partial<CommandSettings> = {}) =>
    registerCommands({
      call,
      specs,
      settings: { isNative: true, isEphemeral: true, ...settings },
      memory,
      insisting: { clock, log, signal },
    });
  const there = (guildId?: string) =>
    [...fake.world.commands.values()]
      .filter((command) => command.guildId === guildId)
      .map((c) => c.definition);
  return { fake, guild, register, there, lines };
}

test('CMD-24: every command is registered from its description', async () => {
  const { register, there } = await registering();
  await register(SPECS);
  const [status, pair, queue] = there();
  expect(status).toMatchObject({
    name: 'status',
    type: 1,
    contexts: [0, 1],
    default_member_permissions: null,
  });
  expect(pair).toMatchObject({
    name: 'pair',
    options: [
      { type: 1, name: 'approve', options: [{ type: 3, name: 'code', required: true, autocomplete: true }] },
      { type: 1, name: 'deny' },
    ],
  });
  expect(String(pair!.default_member_permissions)).toBe('32');
  expect(queue!.description).toHaveLength(100);
  expect(queue!.options).toMatchObject([
    { name: 'agentid', required: true },
    { name: 'mode', choices: [{ name: 'steer', value: 'steer' }, { name: 'collect' }] },
    { name: 'limit', type: 4, min_value: 0 },
    { name: 'pause', type: 3, autocomplete: true },
  ]);
});

test('what is registered already is not written again, and only what differs is', async () => {
  const { fake, register, there } = await registering();
  await register(SPECS);
  const { count } = fake.commandWrites;
  expect(count).toBe(3);
  await register(SPECS);
  expect(fake.commandWrites.count).toBe(count);
  const changed = [spec('status', { summary: 'Something else' }), SPECS[3]!, spec('new')];
  await register(changed);
  expect(
    fake.journal
      .of(/^(POST|PATCH|PUT|DELETE) .*commands/)
      .slice(3)
      .map(({ method }) => method),
  ).toEqual(['DELETE', 'PATCH', 'POST']);
  expect(
    there()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['new', 'queue', 'status']);
});

test('commands of single servers take the place of those for all, and back', async () => {
  const { guild, register, there } = await registering();
  await register(SPECS);
  await register(SPECS, { guilds: [guild.id] });
  expect([there().length, there(guild.id).length]).toEqual([0, 3]);
  await register(SPECS);
  expect([there().length, there(guild.id).length]).toEqual([3, 0]);
  await register(SPECS, { isNative: false });
  expect(there()).toEqual([]);
});

test('the limit of a day, and a server that is not there, are said and do no harm', async () => {
  const { fake, guild, register, there, lines } = await registering();
  fake.settings.commandCreatesPerDay = 1;
  await register(SPECS);
  expect(there()).toHaveLength(1);
  expect(lines.map(({ message }) => message).join()).toContain('no more new slash commands today');
  fake.settings.commandCreatesPerDay = 200;
  await register(SPECS, { guilds: ['1', guild.id] });
  expect(there(guild.id)).toHaveLength(3);
});

test('a refusal for now is tried again', async () => {
  const { fake, register, there } = await registering();
  fake.faults.fail(/POST .*commands/, { status: 500 }, 1);
  await register(SPECS);
  expect(there()).toHaveLength(3);
});

test('registration that trouble has kept from its end is taken up by the next session', async () => {
  const clock = createManualClock(Date.now());
  const { fake } = await fakeWithGuild();
  fake.faults.fail(/\/applications\/\d+\/commands/, { status: 503 });
  const { lines } = await startAdapter(fake, { parts: { clock }, commands: SPECS });
  const said = (words: string) => lines.filter(({ message }) => message.includes(words)).length;
  for (let pauses = 1; said('could not be registered') === 0; pauses++) {
    await until(() => said('registered again soon') >= pauses || said('could not be registered') > 0, {
      what: `pause ${pauses}`,
    });
    clock.advance(30_000);
  }
  fake.faults.clear();
  fake.dropGateway({ isResumable: false });
  await until(() => fake.world.commands.size > 0, { what: 'the commands' });
});
