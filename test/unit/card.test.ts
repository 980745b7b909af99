import { describe, expect, test } from 'vitest';
import type { RunCard } from '../../src/core/card.ts';
import { NO_USAGE, RUN_STATUSES } from '../../src/core/run.ts';
import { labelOf } from '../../src/core/session-label.ts';
import { cardText } from '../../src/subagents/card.ts';

const card = (changed: Partial<RunCard> = {}): RunCard => ({
  runId: 'run_1',
  agent: 'main',
  label: 'notes',
  state: 'running',
  usage: NO_USAGE,
  activeChildren: 0,
  actions: [],
  ...changed,
});

describe('the text of a card, for places that draw none', () => {
  test.each([
    ['opening', 'opening a thread'],
    ['running', 'working'],
    ['succeeded', 'done'],
    ['timed_out', 'timed out'],
    ['cancelled', 'stopped'],
  ] as const)('%s reads "%s"', (state, words) => {
    expect(cardText(card({ state }))).toBe(`**notes**: ${words}`);
  });

  test('it has words for every state, and says why a run did not succeed', () => {
    for (const state of RUN_STATUSES) expect(cardText(card({ state }))).not.toContain('undefined');
    expect(cardText(card({ state: 'failed', note: 'no credit' }))).toBe('**notes**: failed (no credit)');
  });
});

test.each([
  [{ label: 'notes', taskName: 'task', ordinal: 2 }, 'notes'],
  [{ taskName: 'task', ordinal: 2 }, 'task'],
  [{ ordinal: 2 }, 'subagent 2'],
  [{ displayName: '#general' }, '#general'],
  [{}, 'main'],
])('SPAWN-04: a session with %o is called %s', (names, expected) => {
  expect(labelOf({ agentId: 'main', ...names })).toBe(expected);
});
