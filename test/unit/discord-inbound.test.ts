/** What Discord's messages and commands become, without a connection. */
import { expect, test } from 'vitest';
import { changedCommands } from '../../adapters/discord/commands/command-difference.ts';
import { commandShapes } from '../../adapters/discord/commands/command-shape.ts';
import {
  givenCommand,
  shownChoices,
  typedCommand,
  typedSoFar,
} from '../../adapters/discord/commands/given-command.ts';
import { heardSchema } from '../../adapters/discord/gateway/events.ts';
import { isSaidByOthers, toInbound } from '../../adapters/discord/inbound/inbound.ts';
import { readableText } from '../../adapters/discord/inbound/mention-text.ts';
import type { CommandSpec } from '../../src/core/command-grammar.ts';

const self = { id: '1', name: 'skein' };

test.each([
  ['<@1> hello', 'hello'],
  ['<@!1>, hello', 'hello'],
  ['  <@1> <@1>: /status', '/status'],
  ['hello <@1>', 'hello @skein'],
  ['<@1> ask <@2> or <@3>', 'ask @ann or <@3>'],
  ['<@1>', '@skein'],
  ['<@1>\n```\n/stop\n```', '```\n/stop\n```'],
  ['<@&1> hello', '<@&1> hello'],
  ['<@11> hello', '<@11> hello'],
])('C4: %j is read as %j', (content, text) => {
  expect(readableText(content, self, [{ id: '2', name: 'ann' }])).toBe(text);
});

function heard(changed: Record<string, unknown> = {}) {
  return heardSchema.parse({
    id: '100',
    type: 0,
    channel_id: '7',
    author: { id: '2', username: 'ann', global_name: 'Ann' },
    content: 'hello',
    timestamp: '2026-01-02T03:04:05.678Z',
    ...changed,
  });
}
const around = {
  self,
  address: { channel: 'discord', account: 'a', chatType: 'channel', conversation: '7' },
  place: { id: '7', name: 'general', isDirect: false },
  placeName: undefined,
} as const;

test('people are called what they are called in that server, else what they call themselves', () => {
  expect(toInbound(heard(), around).sender).toEqual({ id: '2', name: 'Ann', isBot: false });
  expect(toInbound(heard({ member: { nick: 'Annie', roles: [] } }), around).sender.name).toBe('Annie');
  expect(toInbound(heard({ author: { id: '2', username: 'ann' } }), around).sender.name).toBe('ann');
});

test('J8: other bots and webhooks are bots', () => {
  expect(toInbound(heard({ author: { id: '3', username: 'b', bot: true } }), around).sender.isBot).toBe(true);
  expect(toInbound(heard({ webhook_id: '9' }), around).sender.isBot).toBe(true);
});

test('the time of a message is that of Discord', () => {
  expect(toInbound(heard(), around).at).toBe(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
});

test('Q3: only plain messages and replies of others are said by somebody', () => {
  const isSaid = (type: number, id = '2') =>
    isSaidByOthers(heard({ type, author: { id, username: 'x' } }), self);
  const types = Array.from({ length: 47 }, (_, type) => type);
  expect(types.filter((type) => isSaid(type))).toEqual([0, 19]);
  expect(isSaid(0, self.id)).toBe(false);
});

const SPECS: readonly CommandSpec[] = [
  {
    name: 'subagents spawn',
    summary: 'Start one',
    options: {
      agentId: { summary: 'The agent', type: 'word', isRequired: true, completes: 'agent' },
      task: { summary: 'The task', type: 'text', isRequired: true },
      model: { summary: 'A model', type: 'word', isFlag: true, completes: 'model' },
    },
    permission: 'authorized',
    where: 'anywhere',
  },
];
const spawn = (options: readonly Record<string, unknown>[]) => ({
  name: 'subagents',
  type: 1,
  options: [{ name: 'spawn', type: 1, options: options.map((option) => ({ name: '', type: 3, ...option })) }],
});

test('a subcommand is a command of two words, and is typed with its flags', () => {
  const given = givenCommand(
    spawn([
      { name: 'agentid', value: 'main' },
      { name: 'task', value: 'a b' },
      { name: 'model', value: 'x y' },
    ]),
  );
  expect(given).toEqual({ name: 'subagents spawn', options: { agentid: 'main', task: 'a b', model: 'x y' } });
  expect(typedCommand(given, SPECS)).toBe('/subagents spawn main a b --model "x y"');
});

test('while it is typed, only what stands before the option counts, and words stay together', () => {
  const data = spawn([
    { name: 'task', value: 'x' },
    { name: 'agentid', value: 'my ag', focused: true },
  ]);
  const typed = typedSoFar(data, SPECS)!;
  expect(typed).toEqual({ before: '/subagents spawn ', text: '/subagents spawn "my ag' });
  const choices = shownChoices(
    [
      { text: '/subagents spawn "my agent" ', label: 'my agent', summary: 'x'.repeat(120) },
      { text: '/subagents list', label: '/subagents list', summary: 'another command' },
      { text: `/subagents spawn ${'y'.repeat(101)}`, label: 'too long', summary: '' },
    ],
    typed,
  );
  expect(choices).toEqual([{ name: expect.stringMatching(/^my agent: x+…$/), value: 'my agent' }]);
  expect(choices[0]!.name).toHaveLength(100);
  expect(typedSoFar(spawn([]), SPECS)).toBeUndefined();
});

test('a command as Discord gives it back is no change, whatever it has filled in', () => {
  const [shape] = commandShapes(SPECS);
  const there = {
    ...shape!,
    id: '5',
    version: '6',
    nsfw: false,
    integration_types: [0],
    default_member_permissions: null,
  };
  expect(changedCommands([shape!], [there])).toEqual({ made: [], changed: [], removed: [] });
  expect(changedCommands([shape!], [{ ...there, description: 'other' }]).changed).toEqual([
    { id: '5', shape },
  ]);
  expect(changedCommands([], [there, { ...there, id: '8', type: 4 }]).removed).toEqual(['5']);
});
