import { describe, expect, test } from 'vitest';
import type { CommandSpec, CompletionSource } from '../../src/core/command-grammar.ts';
import { completeCommand } from '../../src/core/completion.ts';

const spec = (name: string, options: CommandSpec['options'] = {}): CommandSpec => ({
  name,
  summary: `about ${name}`,
  options,
  permission: 'authorized',
  where: 'anywhere',
});

const SPECS = [
  spec('focus', { target: { summary: 'what', type: 'word', isRequired: true, completes: 'session' } }),
  spec('unfocus'),
  spec('session idle', { duration: { summary: 'how long', type: 'duration' } }),
  spec('session max-age', { duration: { summary: 'how long', type: 'duration' } }),
  spec('session unbind'),
  spec('subagents log', {
    run: { summary: 'which', type: 'word', isRequired: true, completes: 'subagent' },
    limit: { summary: 'how many', type: 'integer' },
    tools: { summary: 'with tools', type: 'word', choices: ['tools'] },
  }),
  spec('subagents spawn', {
    agent: { summary: 'who', type: 'word', isRequired: true, completes: 'agent' },
    task: { summary: 'what', type: 'text', isRequired: true },
    model: { summary: 'which model', type: 'word', isFlag: true, completes: 'model' },
    thinking: { summary: 'level', type: 'word', isFlag: true, choices: ['low', 'high'] },
  }),
  spec('stop'),
];

const VALUES: Partial<Record<CompletionSource, string[]>> = {
  session: ['agent:main:main', 'My worker', 'my other'],
  subagent: ['1', '2'],
  agent: ['Coder', 'main'],
  model: ['openai/big', 'openai/small'],
};
const values = (source: CompletionSource) =>
  (VALUES[source] ?? []).map((value) => ({ value, summary: `about ${value}` }));
const complete = (text: string) => completeCommand(text, SPECS, values);
const texts = (text: string) => complete(text).map((choice) => choice.text);

describe('completion of commands', () => {
  test.each<[string, string[]]>([
    ['/', ['/focus ', '/unfocus', '/session ', '/subagents ', '/stop']],
    ['!', ['!focus ', '!unfocus', '!session ', '!subagents ', '!stop']],
    ['/s', ['/session ', '/subagents ', '/stop']],
    ['/SU', ['/subagents ']],
    ['  /un', ['  /unfocus']],
    ['/session ', ['/session idle ', '/session max-age ', '/session unbind']],
    ['/session M', ['/session max-age ']],
    ['/Session idle', ['/Session idle ']],
    [
      '/session idle ',
      ['/session idle 30m', '/session idle 1h', '/session idle 4h', '/session idle 1d', '/session idle off'],
    ],
    ['/session idle O', ['/session idle off']],
    ['/session idle: 4', ['/session idle: 4h']],
    ['/session idle 1h ', []],
    ['/focus ', ['/focus agent:main:main', '/focus "My worker"', '/focus "my other"']],
    ['/focus MY', ['/focus "My worker"', '/focus "my other"']],
    ['/focus "my w', ['/focus "My worker"']],
    ['/subagents log ', ['/subagents log 1 ', '/subagents log 2 ']],
    ['/subagents log 1 ', ['/subagents log 1 tools']],
    ['/subagents log 1 20 t', ['/subagents log 1 20 tools']],
    ['/subagents log 1 tools ', []],
    ['/subagents spawn c', ['/subagents spawn Coder ']],
    ['/subagents spawn Coder ', []],
    ['/subagents spawn Coder fix this ', []],
    [
      '/subagents spawn Coder fix -',
      ['/subagents spawn Coder fix --model ', '/subagents spawn Coder fix --thinking '],
    ],
    ['/subagents spawn Coder fix --T', ['/subagents spawn Coder fix --thinking ']],
    ['/subagents spawn Coder fix --thinking h', ['/subagents spawn Coder fix --thinking high ']],
    ['/subagents spawn Coder fix --model openai/s', ['/subagents spawn Coder fix --model openai/small ']],
    ['/subagents spawn Coder --model x fix --', ['/subagents spawn Coder --model x fix --thinking ']],
    [
      '/subagents spawn --model openai/big ',
      ['/subagents spawn --model openai/big Coder ', '/subagents spawn --model openai/big main '],
    ],
    ['/stop', ['/stop']],
    ['/stop ', []],
    ['/nothing', []],
    ['/nothing ', []],
    ['/ ', []],
    ['hello', []],
    ['', []],
    ['// no', []],
  ])('%j becomes %j', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  test('choices say what they are', () => {
    expect(complete('/ses')).toEqual([
      { text: '/session ', label: '/session', summary: 'idle, max-age, unbind' },
    ]);
    expect(complete('/session i')).toEqual([
      { text: '/session idle ', label: '/session idle', summary: 'about session idle' },
    ]);
    expect(complete('/subagents spawn c')[0]).toMatchObject({ label: 'Coder', summary: 'about Coder' });
    expect(complete('/subagents spawn Coder x --m')[0]).toMatchObject({
      label: '--model',
      summary: 'which model',
    });
  });

  test('a choice tells its own meaning where it has one', () => {
    const mode = {
      summary: 'how',
      type: 'word',
      choices: ['collect', 'default'],
      meanings: { collect: 'all at once' },
    } as const;
    const shown = completeCommand('/queue ', [spec('queue', { mode })], values);
    expect(shown.map(({ label, summary }) => [label, summary])).toEqual([
      ['collect', 'all at once'],
      ['default', 'how'],
    ]);
  });

  test('durations are told in words', () => {
    expect(complete('/session idle ').map(({ label, summary }) => `${label}: ${summary}`)).toEqual([
      '30m: 30 minutes',
      '1h: 1 hour',
      '4h: 4 hours',
      '1d: 1 day',
      'off: no limit',
    ]);
  });

  test('at most 25 choices are given', () => {
    const many = Array.from({ length: 60 }, (_, i) => ({ value: `session-${i}`, summary: '' }));
    expect(completeCommand('/focus s', SPECS, () => many)).toHaveLength(25);
  });
});
