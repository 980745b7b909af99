import { expect, test } from 'vitest';
import type { CommandServices } from '../../commands/command.ts';
import { createCommands } from '../../commands/index.ts';
import { parseBareCommand } from '../../src/core/bare-command.ts';

const { specs } = createCommands({} as CommandServices);
const parse = (text: string) => {
  const parsed = parseBareCommand(text, specs);
  return parsed && 'args' in parsed ? [parsed.spec.name, parsed.args] : parsed;
};

test.each<[string, string, Record<string, unknown>]>([
  ['stop', 'stop', {}],
  ['  Stop ', 'stop', {}],
  ['session idle 1h', 'session idle', { duration: 3_600_000 }],
  ['queue followup', 'queue', { mode: 'followup' }],
  ['subagents', 'subagents list', {}],
  ['subagents kill moon', 'subagents kill', { target: 'moon' }],
  ['subagents spawn main look at "it"', 'subagents spawn', { agentId: 'main', task: 'look at "it"' }],
])('behind a mention, "%s" is the command %s', (text, name, args) => {
  expect(parse(text)).toEqual([name, args]);
});

test.each([
  'stop it, please',
  'help me with my taxes',
  'focus on the tests',
  'steer clear of it',
  'drop it',
  'status of the deploy?',
  'session idle soon',
  'subagents are nice',
  '/stop',
  '// stop',
  '',
])('behind a mention, "%s" is left to the agent, or to its slash', (text) => {
  expect(parse(text)).toBeUndefined();
});
