import { describe, expect, test } from 'vitest';
import { isToolAllowed, type ToolRules } from '../../src/core/tool-policy.ts';

type Role = 'main' | 'orchestrator' | 'leaf';
const rules = (
  subagents: Partial<ToolRules['subagents']> = {},
  more: Partial<ToolRules> = {},
): ToolRules => ({
  subagents: { deny: [], ...subagents },
  ...more,
});
const allowed = (tool: string, role: Role, given = rules()) => isToolAllowed(tool, { role }, given);

const REMOVED = [
  'sessions',
  'sessions_list',
  'sessions_history',
  'sessions_search',
  'sessions_send',
  'sessions_spawn',
  'sessions_yield',
  'session_status',
  'subagents',
  'conversations_list',
  'conversations_send',
  'conversations_turn',
  'agents_list',
  'gateway',
  'cron',
];
const GIVEN_BACK = ['sessions_spawn', 'sessions_yield', 'subagents', 'sessions_list', 'sessions_history'];

test.each(REMOVED)('POL-08, NEST-06: a leaf gets no %s, a top session does', (tool) => {
  expect(allowed(tool, 'leaf')).toBe(false);
  expect(allowed(tool, 'main')).toBe(true);
});

test.each(['read', 'exec', 'message', 'web_search'])('POL-08: every role gets %s', (tool) => {
  for (const role of ['main', 'orchestrator', 'leaf'] as const) expect(allowed(tool, role)).toBe(true);
});

test.each(REMOVED)(
  'POL-09, NEST-04, NEST-05: an orchestrator gets %s only if it needs it to orchestrate',
  (tool) => {
    expect(allowed(tool, 'orchestrator')).toBe(GIVEN_BACK.includes(tool));
  },
);

describe('the rules of the configuration', () => {
  test('POL-10: deny always wins', () => {
    const denying = rules({ deny: ['read', 'sessions_spawn'], allow: ['read', 'sessions_spawn'] });
    expect(allowed('read', 'leaf', denying)).toBe(false);
    expect(allowed('sessions_spawn', 'orchestrator', denying)).toBe(false);
    expect(allowed('read', 'main', denying)).toBe(true);
  });

  test('POL-11: a list of allowed tools is the whole list, and gives a leaf no sessions_spawn', () => {
    const only = rules({ allow: ['read', 'sessions_spawn', 'sessions_send'] });
    expect(allowed('read', 'leaf', only)).toBe(true);
    expect(allowed('exec', 'leaf', only)).toBe(false);
    expect(allowed('sessions_send', 'leaf', only)).toBe(true);
    expect(allowed('sessions_spawn', 'leaf', only)).toBe(false);
    expect(allowed('sessions_spawn', 'orchestrator', only)).toBe(true);
    expect(allowed('sessions_yield', 'orchestrator', only)).toBe(false);
  });

  test('POL-13: what is denied or not allowed to the agent is so for all its sessions', () => {
    for (const role of ['main', 'orchestrator', 'leaf'] as const) {
      expect(allowed('read', role, rules({}, { deny: ['read'] }))).toBe(false);
      expect(allowed('read', role, rules({}, { allow: ['exec'] }))).toBe(false);
      expect(allowed('exec', role, rules({}, { allow: ['exec'] }))).toBe(true);
      expect(allowed('exec', role, rules({}, { allow: ['exec'], deny: ['exec'] }))).toBe(false);
    }
    expect(allowed('sessions_spawn', 'leaf', rules({}, { allow: ['sessions_spawn'] }))).toBe(false);
  });
});
