import { expect, test } from 'vitest';
import { mainPrompt, subagentPrompt } from '../../src/core/system-prompt.ts';

const place = {
  channel: 'discord',
  account: 'default',
  chatType: 'channel',
  conversation: 'general',
} as const;
const child = {
  agentId: 'main',
  canSpawn: false,
  requester: 'agent:main:discord:channel:general',
  depth: 1,
  maxDepth: 1,
  isThreadBound: false,
};

test('a main session is told who it is, where it speaks, and how to delegate if it may', () => {
  const prompt = mainPrompt({ agentId: 'main', place, canSpawn: true });
  expect(prompt).toContain('You are main');
  expect(prompt).toContain('on discord in channel general');
  expect(prompt).toContain('sessions_spawn');
  expect(mainPrompt({ agentId: 'main', canSpawn: false })).not.toContain('sessions_spawn');
  expect(mainPrompt({ agentId: 'main', canSpawn: false })).toContain('Nobody reads your replies directly.');
});

test('SPAWN-28: a subagent is pointed to its task by the mark, which the prompt itself does not hold', () => {
  const prompt = subagentPrompt(child);
  expect(prompt).toContain('newest message that begins with [Subagent Task]');
  expect(prompt).toContain('depth 1 of 1');
});

test('NEST-06: a leaf is told that it may not delegate, an orchestrator how', () => {
  expect(subagentPrompt(child)).toContain('You may not start subagents.');
  const orchestrator = subagentPrompt({ ...child, canSpawn: true, maxDepth: 2 });
  expect(orchestrator).toContain('sessions_spawn');
  expect(orchestrator).not.toContain('may not start');
});

test('only a subagent in a thread is told that people write to it there', () => {
  expect(subagentPrompt(child)).toContain('You do not talk to people.');
  const bound = subagentPrompt({ ...child, isThreadBound: true, place: { ...place, thread: 't' } });
  expect(bound).toContain('on discord in a thread');
  expect(bound).toContain('People may write to you there');
});

test('SPAWN-28: the prompts are short, and the same for the same place', () => {
  for (const prompt of [
    mainPrompt({ agentId: 'main', place, canSpawn: true }),
    subagentPrompt({ ...child, canSpawn: true }),
  ])
    expect(prompt.length).toBeLessThan(4_000);
  expect(subagentPrompt(child)).toBe(subagentPrompt({ ...child }));
});
