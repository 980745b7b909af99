import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Address } from '../../src/core/address.ts';
import {
  asSessionKey,
  buildSessionKey,
  isAgentId,
  keyForAddress,
  kindOfKey,
  type ParsedKey,
  parseSessionKey,
} from '../../src/core/session-key.ts';

const UUID_1 = '0190f2aa-0000-7000-8000-000000000001';
const UUID_2 = '0190f2aa-0000-7000-8000-000000000002';

const SHAPES: readonly [string, string, ParsedKey][] = [
  ['KEY-02 main session', 'agent:main:main', { kind: 'main', agentId: 'main' }],
  [
    'KEY-03 channel',
    'agent:main:discord:channel:123',
    { kind: 'chat', agentId: 'main', channel: 'discord', chat: 'channel', id: '123' },
  ],
  [
    'KEY-03 group',
    'agent:main:slack:group:G0AbC',
    { kind: 'chat', agentId: 'main', channel: 'slack', chat: 'group', id: 'G0AbC' },
  ],
  [
    'KEY-04 Discord thread',
    'agent:main:discord:channel:123:thread:987',
    { kind: 'chat', agentId: 'main', channel: 'discord', chat: 'channel', id: '123', thread: '987' },
  ],
  [
    'KEY-04 Slack thread',
    'agent:main:slack:channel:C0AB:thread:1700000000.000100',
    {
      kind: 'chat',
      agentId: 'main',
      channel: 'slack',
      chat: 'channel',
      id: 'C0AB',
      thread: '1700000000.000100',
    },
  ],
  [
    'KEY-09 subagent',
    `agent:coder:subagent:${UUID_1}`,
    { kind: 'subagent', agentId: 'coder', path: [UUID_1] },
  ],
  [
    'KEY-10 nested subagent',
    `agent:coder:subagent:${UUID_1}:subagent:${UUID_2}`,
    { kind: 'subagent', agentId: 'coder', path: [UUID_1, UUID_2] },
  ],
  ['KEY-18 ACP', `agent:main:acp:${UUID_1}`, { kind: 'acp', agentId: 'main', id: UUID_1 }],
  ['KEY-18 dashboard', `agent:main:dashboard:${UUID_1}`, { kind: 'dashboard', agentId: 'main', id: UUID_1 }],
  [
    'KEY-19 slash sender',
    'agent:main:discord:slash:42',
    { kind: 'slash', agentId: 'main', channel: 'discord', user: '42' },
  ],
  ['KEY-20 per peer', 'agent:main:direct:42', { kind: 'direct', agentId: 'main', peer: '42' }],
  [
    'KEY-20 per channel and peer',
    'agent:main:slack:direct:U0Ab',
    { kind: 'direct', agentId: 'main', channel: 'slack', peer: 'U0Ab' },
  ],
  [
    'KEY-20 per account, channel and peer',
    'agent:main:slack:work:direct:U0Ab',
    { kind: 'direct', agentId: 'main', channel: 'slack', account: 'work', peer: 'U0Ab' },
  ],
  ['KEY-22 cron', 'cron:daily', { kind: 'cron', id: 'daily' }],
  ['KEY-22 hook', `hook:${UUID_1}`, { kind: 'hook', id: UUID_1 }],
  ['KEY-22 node', 'node-laptop', { kind: 'node', id: 'laptop' }],
];

describe('session keys', () => {
  test.each(SHAPES)('%s: %s is built and parsed', (_name, key, parsed) => {
    expect(buildSessionKey(parsed)).toBe(key);
    expect(parseSessionKey(key)).toEqual(parsed);
  });

  test('KEY-22: parsing undoes building for every shape', () => {
    const agentId = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/);
    const id = fc.stringMatching(/^[A-Za-z0-9._@+-]{1,30}$/);
    const channel = fc.constantFrom('discord', 'slack', 'webchat');
    const shape: fc.Arbitrary<ParsedKey> = fc.oneof(
      fc.record({ kind: fc.constant('main' as const), agentId }),
      fc.record(
        {
          kind: fc.constant('chat' as const),
          agentId,
          channel,
          chat: fc.constantFrom('channel' as const, 'group' as const),
          id,
          thread: id,
        },
        { requiredKeys: ['kind', 'agentId', 'channel', 'chat', 'id'] },
      ),
      fc.record({ kind: fc.constant('direct' as const), agentId, peer: id }),
      fc.record({ kind: fc.constant('direct' as const), agentId, peer: id, channel }),
      fc.record({ kind: fc.constant('direct' as const), agentId, peer: id, channel, account: id }),
      fc.record({
        kind: fc.constant('subagent' as const),
        agentId,
        path: fc.array(fc.uuid(), { minLength: 1, maxLength: 5 }),
      }),
      fc.record({ kind: fc.constantFrom('acp' as const, 'dashboard' as const), agentId, id: fc.uuid() }),
      fc.record({ kind: fc.constant('slash' as const), agentId, channel, user: id }),
      fc.record({ kind: fc.constantFrom('cron' as const, 'hook' as const, 'node' as const), id }),
    );
    fc.assert(
      fc.property(shape, (parsed) => {
        expect(parseSessionKey(buildSessionKey(parsed))).toEqual(parsed);
      }),
      { numRuns: 500 },
    );
  });

  test('KEY-22: whatever is parsed builds the same key again', () => {
    const part = fc.constantFrom(
      'agent',
      'main',
      'subagent',
      'discord',
      'channel',
      'thread',
      'direct',
      'slash',
      'acp',
      'x',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const key = parts.join(':');
        const parsed = parseSessionKey(key);
        if (parsed) expect(buildSessionKey(parsed)).toBe(key);
      }),
      { numRuns: 2000 },
    );
  });

  test('KEY-22: agent ids are lower-cased and other ids kept byte for byte', () => {
    const key = 'agent:main:slack:channel:C0AbC:thread:T9';
    const parsed: ParsedKey = {
      kind: 'chat',
      agentId: 'MaIn',
      channel: 'slack',
      chat: 'channel',
      id: 'C0AbC',
      thread: 'T9',
    };
    expect(buildSessionKey(parsed)).toBe(key);
    expect(parseSessionKey('agent:MAIN:slack:channel:C0AbC:thread:T9')).toEqual({
      ...parsed,
      agentId: 'main',
    });
    expect(asSessionKey('agent:MAIN:slack:channel:C0AbC:thread:T9')).toBe(key);
  });

  test.each([
    '',
    'main',
    'global',
    'unknown',
    'agent',
    'agent:',
    'agent:main',
    'agent:main:',
    'agent::main',
    'agent:main:main:',
    'agent:main:main:thread:1',
    ' agent:main:main',
    'agent:main:main\n',
    'agent:ma in:main',
    'agent:../x:main',
    'agent:main:discord:channel',
    'agent:main:discord:channel:',
    'agent:main:discord:channel:1:thread',
    'agent:main:discord:channel:1:thread:',
    'agent:main:discord:channel:1:thread:2:3',
    'agent:main:discord:channel:1:topic:2',
    'agent:main:discord:channel:a b',
    'agent:main:subagent',
    'agent:main:subagent:',
    `agent:main:subagent:${UUID_1}:subagent`,
    `agent:main:subagent:${UUID_1}:child:${UUID_2}`,
    'agent:main:acp',
    'agent:main:discord:1',
    'cron:',
    'cron:a b',
    'hook:',
    'node-',
    'node',
    'openclaw-tui',
    'Agent:main:main',
  ])('KEY-22: %j is not a key', (text) => {
    expect(parseSessionKey(text)).toBeUndefined();
    expect(asSessionKey(text)).toBeUndefined();
  });

  test('an agent id is 1 to 64 small letters, digits, - and _', () => {
    expect(['a', '0', 'main', 'a-b_c', 'x'.repeat(64)].every(isAgentId)).toBe(true);
    expect(['', '-a', '_a', 'A', 'a:b', 'a b', 'ä', 'x'.repeat(65)].some(isAgentId)).toBe(false);
  });
});

describe('the key of an address', () => {
  const address: Address = { channel: 'slack', account: 'work', chatType: 'channel', conversation: 'C0AB' };
  const thread = { thread: '1700000000.000100' };

  test.each<[string, Address, string]>([
    ['KEY-21 a channel', address, 'agent:main:slack:channel:C0AB'],
    ['KEY-21 a thread', { ...address, ...thread }, 'agent:main:slack:channel:C0AB:thread:1700000000.000100'],
    ['KEY-03 a group', { ...address, chatType: 'group' }, 'agent:main:slack:group:C0AB'],
    ['KEY-20 a direct message', { ...address, chatType: 'direct' }, 'agent:main:main'],
    ['KEY-21 a thread of direct messages', { ...address, ...thread, chatType: 'direct' }, 'agent:main:main'],
  ])('%s', (_name, at, key) => {
    expect(keyForAddress('Main', at, 'U1', 'main')).toBe(key);
  });

  test.each([
    ['main', 'agent:main:main'],
    ['per-peer', 'agent:main:direct:U1'],
    ['per-channel-peer', 'agent:main:slack:direct:U1'],
    ['per-account-channel-peer', 'agent:main:slack:work:direct:U1'],
  ] as const)('KEY-20: direct messages with scope %s go to %s', (scope, key) => {
    expect(keyForAddress('main', { ...address, chatType: 'direct' }, 'U1', scope)).toBe(key);
  });

  test.each([
    ['agent:main:main', 'main'],
    ['agent:main:slack:channel:C1:thread:2', 'group'],
    ['agent:main:slack:group:C1', 'group'],
    ['cron:x', 'cron'],
    ['hook:x', 'hook'],
    ['node-x', 'node'],
    ['agent:main:subagent:u', 'other'],
    ['agent:main:direct:42', 'other'],
    ['agent:main:acp:u', 'other'],
    ['agent:main:discord:slash:42', 'other'],
  ])('KEY-13: %s is of kind %s', (key, kind) => {
    expect(kindOfKey(parseSessionKey(key)!)).toBe(kind);
  });
});
