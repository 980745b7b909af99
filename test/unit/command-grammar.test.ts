import { describe, expect, test } from 'vitest';
import { type CommandSpec, parseCommand, usage } from '../../src/core/command-grammar.ts';

const spec = (name: string, options: CommandSpec['options'] = {}): CommandSpec => ({
  name,
  summary: `about ${name}`,
  options,
  permission: 'authorized',
  where: 'anywhere',
});

const SPECS = [
  spec('status'),
  spec('stop'),
  spec('unfocus'),
  spec('agents'),
  spec('focus', { target: { summary: 'what', type: 'word', isRequired: true } }),
  spec('send', {
    policy: { summary: 'what', type: 'word', isRequired: true, choices: ['on', 'off', 'inherit'] },
  }),
  spec('session idle', { duration: { summary: 'how long', type: 'duration' } }),
  spec('session max-age', { duration: { summary: 'how long', type: 'duration' } }),
  spec('subagents list'),
  spec('subagents log', {
    run: { summary: 'which', type: 'word', isRequired: true },
    limit: { summary: 'how many', type: 'integer' },
    tools: { summary: 'with tools', type: 'word', choices: ['tools'] },
  }),
  spec('subagents send', {
    run: { summary: 'which', type: 'word', isRequired: true },
    message: { summary: 'what', type: 'text', isRequired: true },
  }),
  spec('subagents spawn', {
    agent: { summary: 'who', type: 'word', isRequired: true },
    task: { summary: 'what', type: 'text', isRequired: true },
    model: { summary: 'model', type: 'word', isFlag: true },
    thinking: { summary: 'level', type: 'word', isFlag: true, choices: ['low', 'high'] },
  }),
];

/** `[name, args]`, the problem, or undefined. */
function read(text: string): unknown {
  const parsed = parseCommand(text, SPECS);
  if (!parsed) return undefined;
  return 'problem' in parsed ? parsed.problem : [parsed.spec.name, parsed.args];
}

describe('what is a command', () => {
  test.each([
    ['/unfocus', 'unfocus'],
    ['!unfocus', 'unfocus'],
    ['  /unfocus', 'unfocus'],
    ['\n/unfocus  ', 'unfocus'],
    ['/session idle 2h', 'session idle'],
    ['/session\n idle', 'session idle'],
    ['/subagents list', 'subagents list'],
    ['/stop', 'stop'],
    ['/agents', 'agents'],
  ])('C4: %j is %s', (text, name) => {
    expect(parseCommand(text, SPECS)?.spec.name).toBe(name);
  });

  test.each([
    '',
    '/',
    '!',
    'stop',
    '/unfocusx',
    '/stopx',
    '// not a command',
    '//stop',
    '/ stop',
    '!!stop',
    '/1',
    'please /stop',
    '```\n/stop\n```',
    '`/stop`',
    '／stop',
    '/stop/now',
    '/path/to/file is broken',
    '/sessions',
    '/toString',
  ])('C4: %j is meant for the agent', (text) => {
    expect(read(text)).toBeUndefined();
  });

  test.each(['/STOP', '/Stop', '/SESSION Idle', '/Subagents LIST'])(
    'CMD-25: letter case does not matter: %s',
    (text) => {
      expect(parseCommand(text, SPECS)).toMatchObject({ args: {} });
    },
  );

  test.each(['/send on', '/send: on', '/send:on', '/send : on', '/SEND: ON'])(
    'CMD-25: a colon may stand before the argument: %s',
    (text) => {
      expect(read(text)).toEqual(['send', { policy: 'on' }]);
    },
  );

  test.each(['/session idle: 2h', '/session: idle 2h', '/session:idle:2h'])(
    'CMD-25: a colon may stand between the words of a name: %s',
    (text) => {
      expect(read(text)).toEqual(['session idle', { duration: 7_200_000 }]);
    },
  );

  test('CMD-25: a colon that belongs to the argument is kept', () => {
    expect(read('/focus agent:main:main')).toEqual(['focus', { target: 'agent:main:main' }]);
    expect(read('/subagents send 1 :smile: yes')).toEqual([
      'subagents send',
      { run: '1', message: ':smile: yes' },
    ]);
  });
});

describe('arguments', () => {
  test.each<[string, unknown]>([
    ['/session idle', ['session idle', {}]],
    ['/session idle off', ['session idle', { duration: 0 }]],
    ['/session idle 90m', ['session idle', { duration: 5_400_000 }]],
    ['/focus "my worker"', ['focus', { target: 'my worker' }]],
    ['/focus my-worker', ['focus', { target: 'my-worker' }]],
    ['/subagents log 1', ['subagents log', { run: '1' }]],
    ['/subagents log 1 20', ['subagents log', { run: '1', limit: 20 }]],
    ['/subagents log 1 20 TOOLS', ['subagents log', { run: '1', limit: 20, tools: 'tools' }]],
    ['/subagents log 1 tools', ['subagents log', { run: '1', tools: 'tools' }]],
  ])('%s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test('a text option keeps its spacing and line breaks', () => {
    expect(read('/subagents send 1 first  line\n\n  "second" line  ')).toEqual([
      'subagents send',
      { run: '1', message: 'first  line\n\n  "second" line' },
    ]);
  });

  test('quotes around a whole text are taken off', () => {
    expect(read('/subagents send 1 "all of  it"')).toEqual([
      'subagents send',
      { run: '1', message: 'all of  it' },
    ]);
  });

  test.each<[string, Record<string, string>]>([
    ['--model m1 coder do it', { agent: 'coder', task: 'do it', model: 'm1' }],
    ['coder --model m1 do it', { agent: 'coder', task: 'do it', model: 'm1' }],
    ['coder do --model m1 it', { agent: 'coder', task: 'do it', model: 'm1' }],
    ['coder do it --MODEL m1', { agent: 'coder', task: 'do it', model: 'm1' }],
    [
      'coder do\n--model m1 --thinking HIGH\nit',
      { agent: 'coder', task: 'do\nit', model: 'm1', thinking: 'high' },
    ],
    ['coder --model "m 1" do', { agent: 'coder', task: 'do', model: 'm 1' }],
    ['coder explain --verbose and -x', { agent: 'coder', task: 'explain --verbose and -x' }],
    ['coder explain "--model" please', { agent: 'coder', task: 'explain "--model" please' }],
  ])('flags may stand anywhere: %j', (rest, args) => {
    expect(read(`/subagents spawn ${rest}`)).toEqual(['subagents spawn', args]);
  });
});

describe('wrong arguments', () => {
  test.each([
    ['/focus', 'Usage: /focus <target>'],
    ['/focus ""', 'Usage: /focus <target>'],
    ['/focus a b', 'Usage: /focus <target>'],
    ['/stop now', 'Usage: /stop'],
    ['/stop\nplease', 'Usage: /stop'],
    ['/send', 'Usage: /send <on|off|inherit>'],
    ['/send maybe', 'Usage: /send <on|off|inherit>'],
    ['/session', 'Usage: /session <idle|max-age>'],
    ['/session foo', 'Usage: /session <idle|max-age>'],
    ['/session idle soon', 'Usage: /session idle [duration] (how long)'],
    ['/session idle 1h 2h', 'Usage: /session idle [duration] (how long)'],
    ['/subagents log 1 -3', 'Usage: /subagents log <run> [limit] [tools]'],
    ['/subagents log 1 1.5', 'Usage: /subagents log <run> [limit] [tools]'],
    ['/subagents log 1 tools 20', 'Usage: /subagents log <run> [limit] [tools]'],
    ['/subagents send 1', 'Usage: /subagents send <run> <message>'],
    ['/subagents send 1 ""', 'Usage: /subagents send <run> <message>'],
    [
      '/subagents spawn coder do it --model',
      'Usage: /subagents spawn <agent> <task> [--model <model>] [--thinking <low|high>]',
    ],
    [
      '/subagents spawn coder do it --thinking deep',
      'Usage: /subagents spawn <agent> <task> [--model <model>] [--thinking <low|high>]',
    ],
  ])('CMD-27: %j is answered with one usage line', (text, problem) => {
    expect(read(text)).toBe(problem);
    expect(problem).not.toContain('\n');
  });

  test('usage shows choices, optional and required options and flags', () => {
    expect(SPECS.map(usage)).toContain('/send <on|off|inherit>');
    expect(SPECS.map(usage)).toContain('/session idle [duration]');
  });
});
