import { describe, expect, test } from 'vitest';
import { decideSpawn, type SpawnFacts, type SpawnRequest } from '../../src/core/spawn-policy.ts';

const place = {
  channel: 'discord',
  hasThreads: true,
  bindingsEnabled: true,
  spawnsEnabled: true,
  defaultContext: 'fork',
} as const;
const requester = {
  agentId: 'main',
  depth: 0,
  role: 'main',
  isArchived: false,
  activeChildren: 0,
  contextTokens: 0,
  place,
} as const;

type Changed = Partial<SpawnFacts['requester']>;
const facts = (changed: Changed = {}, more: Partial<SpawnFacts> = {}): SpawnFacts => ({
  requester: { ...requester, ...changed },
  limits: { maxSpawnDepth: 1, maxChildren: 5 },
  agents: ['main', 'helper'],
  allowedAgents: ['main'],
  isModelKnown: false,
  ...more,
});
const decide = (request: Partial<SpawnRequest> = {}, given: SpawnFacts = facts()) =>
  decideSpawn({ task: 'work', thread: false, ...request }, given);

function planOf(request: Partial<SpawnRequest> = {}, given: SpawnFacts = facts()) {
  const decision = decide(request, given);
  if (decision.status !== 'accepted') throw new Error(decision.error);
  return decision.plan;
}

test('SPAWN-12, SPAWN-13, CTX-01: by default a clean one-shot run of the same agent without a thread', () => {
  expect(planOf()).toEqual({
    agentId: 'main',
    mode: 'run',
    context: 'isolated',
    depth: 1,
    role: 'leaf',
    useModel: false,
    warnings: [],
  });
});

test.each([
  [{ thread: true }, 'session'],
  [{ thread: true, mode: 'run' }, 'run'],
  [{ thread: true, mode: 'session' }, 'session'],
  [{ mode: 'run' }, 'run'],
] as const)('SPAWN-13: %o becomes mode %s', (request, mode) => {
  expect(planOf(request).mode).toBe(mode);
});

test('SPAWN-14: mode "session" without a thread is refused', () => {
  expect(decide({ mode: 'session' })).toMatchObject({
    status: 'error',
    error: expect.stringMatching(/thread: true/),
  });
});

describe('SPAWN-05, SPAWN-24: which agent', () => {
  test('another agent that is allowed, in any case of letters', () => {
    expect(planOf({ agentId: 'Helper' }, facts({}, { allowedAgents: ['main', 'helper'] })).agentId).toBe(
      'helper',
    );
  });
  test('one that is not allowed is forbidden, with those that are', () => {
    expect(decide({ agentId: 'helper' })).toMatchObject({
      status: 'forbidden',
      error: expect.stringMatching(/allowed: main$/),
    });
  });
  test.each(['nobody', '', '../x', 'a b'])('"%s" does not exist', (agentId) => {
    expect(decide({ agentId })).toMatchObject({
      status: 'error',
      error: expect.stringContaining(`"${agentId}"`),
    });
  });
});

test('SPAWN-07: an unknown model is left out with a warning, a known one is used', () => {
  const unknown = planOf({ model: 'no/such' });
  expect(unknown.useModel).toBe(false);
  expect(unknown.warnings).toEqual(['model "no/such" is not available; the default model is used']);
  expect(planOf({ model: 'a/b' }, facts({}, { isModelKnown: true }))).toMatchObject({
    useModel: true,
    warnings: [],
  });
});

describe('SPAWN-32, NEST-10: how many children', () => {
  test('the last free place is given, the next one is refused with the limit', () => {
    expect(decide({}, facts({ activeChildren: 4 })).status).toBe('accepted');
    expect(decide({}, facts({ activeChildren: 5 }))).toMatchObject({
      status: 'forbidden',
      error: expect.stringMatching(/the limit is 5 \(agents\.defaults\.subagents\.maxChildrenPerAgent\)/),
    });
  });
  test('the limit holds below the top too', () => {
    const deep = facts(
      { depth: 1, role: 'orchestrator', activeChildren: 2 },
      { limits: { maxSpawnDepth: 2, maxChildren: 2 } },
    );
    expect(decide({}, deep).status).toBe('forbidden');
  });
});

describe('NEST-01, NEST-02, NEST-03: how deep', () => {
  test.each([
    [0, 'main', 1, 'leaf'],
    [0, 'main', 2, 'orchestrator'],
    [1, 'orchestrator', 2, 'leaf'],
    [1, 'orchestrator', 3, 'orchestrator'],
    [4, 'orchestrator', 5, 'leaf'],
  ] as const)('depth %i (%s) with a limit of %i spawns a %s', (depth, role, maxSpawnDepth, expected) => {
    const plan = planOf({}, facts({ depth, role }, { limits: { maxSpawnDepth, maxChildren: 5 } }));
    expect(plan).toMatchObject({ depth: depth + 1, role: expected });
  });
  test.each([
    [1, 'leaf', 1],
    [2, 'leaf', 2],
    [2, 'orchestrator', 2],
    [1, 'orchestrator', 1],
  ] as const)('depth %i (%s) with a limit of %i may not', (depth, role, maxSpawnDepth) => {
    const refused = decide({}, facts({ depth, role }, { limits: { maxSpawnDepth, maxChildren: 5 } }));
    expect(refused).toMatchObject({ status: 'forbidden', error: expect.stringContaining(`depth ${depth}`) });
  });
  test('NEST-06, NEST-09: a stored leaf stays one, whatever its depth and the limit', () => {
    expect(
      decide({}, facts({ depth: 0, role: 'leaf' }, { limits: { maxSpawnDepth: 5, maxChildren: 5 } })).status,
    ).toBe('forbidden');
  });
});

test('an archived session may not spawn', () => {
  expect(decide({}, facts({ isArchived: true }))).toMatchObject({
    status: 'forbidden',
    error: 'this session is archived and cannot spawn',
  });
});

describe('SPAWN-37: where there is no thread to be had, the refusal advises mode "run"', () => {
  test.each([
    ['a place without threads', { place: { ...place, hasThreads: false } }, 'error'],
    ['bindings switched off', { place: { ...place, bindingsEnabled: false } }, 'forbidden'],
    ['spawning switched off', { place: { ...place, spawnsEnabled: false } }, 'forbidden'],
  ] as const)('%s', (_name, changed, status) => {
    expect(decide({ thread: true }, facts(changed))).toMatchObject({
      status,
      error: expect.stringContaining('mode "run"'),
    });
    expect(decide({ thread: false }, facts(changed)).status).toBe('accepted');
  });
  test('BIND-08: the setting is named with its channel', () => {
    expect(decide({ thread: true }, facts({ place: { ...place, spawnsEnabled: false } }))).toMatchObject({
      error: expect.stringContaining('channels.discord.threadBindings.spawnSubagentSessions'),
    });
  });
  test('a session without any place', () => {
    const { place: _none, ...homeless } = requester;
    expect(decide({ thread: true }, { ...facts(), requester: homeless })).toMatchObject({
      status: 'error',
      error: expect.stringContaining('mode "run"'),
    });
  });
});

describe('what the child knows', () => {
  const isolating = facts({ place: { ...place, defaultContext: 'isolated' } });
  test.each([
    ['CTX-01: no thread', {}, facts(), 'isolated'],
    ['CTX-01: no thread, asked for', { context: 'fork' }, facts(), 'fork'],
    ['CTX-04: a thread', { thread: true }, facts(), 'fork'],
    ['CTX-04: a thread where the setting says otherwise', { thread: true }, isolating, 'isolated'],
    ['CTX-04: asked for, against the setting', { thread: true, context: 'fork' }, isolating, 'fork'],
    ['CTX-04: asked for, against the default', { thread: true, context: 'isolated' }, facts(), 'isolated'],
  ] as const)('%s', (_name, request, given, context) => {
    expect(planOf(request, given).context).toBe(context);
  });

  const both = { allowedAgents: ['main', 'helper'] };
  test('CTX-05: a fork to another agent is refused, and never made by default', () => {
    expect(decide({ agentId: 'helper', context: 'fork' }, facts({}, both))).toMatchObject({
      status: 'error',
      error: expect.stringContaining('same agent'),
    });
    expect(planOf({ agentId: 'helper', thread: true }, facts({}, both)).context).toBe('isolated');
    expect(planOf({ agentId: 'MAIN', context: 'fork' }).context).toBe('fork');
  });

  test('CTX-06: a conversation beyond 100,000 tokens is not forked, and the result says so', () => {
    expect(planOf({ context: 'fork' }, facts({ contextTokens: 100_000 }))).toMatchObject({
      context: 'fork',
      warnings: [],
    });
    const over = planOf({ context: 'fork' }, facts({ contextTokens: 100_001 }));
    expect(over.context).toBe('isolated');
    expect(over.warnings).toHaveLength(1);
  });
});
