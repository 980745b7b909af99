/** `agents.*`: what every agent starts from, and the agents themselves. */
import { z } from 'zod';
import { agentToolsSchema } from './tools.ts';
import { agentId, modelChoice, modelRef, nonEmpty, thinking, wholeFrom } from './values.ts';

const limit = z.object({
  tokens: z.number().positive().exactOptional(),
  cost: z.number().positive().exactOptional(),
});

const budget = z.object({
  run: limit.exactOptional(),
  tree: limit.exactOptional(),
  day: limit.exactOptional(),
});

const sandboxMode = z.enum(['off', 'non-main', 'all']);
const sandboxVisibility = z.enum(['spawned', 'all']);

const spawnDepth = z.int().min(1).max(5);
const children = z.int().min(1).max(20);
const announceTimeout = z.int().min(1);

const subagentDefaults = z.object({
  model: modelRef.exactOptional(),
  thinking: thinking.exactOptional(),
  allowAgents: z.array(nonEmpty).exactOptional(),
  runTimeoutSeconds: wholeFrom(0).default(0),
  maxSpawnDepth: spawnDepth.default(1),
  maxChildrenPerAgent: children.default(5),
  maxConcurrent: wholeFrom(1).default(8),
  archiveAfterMinutes: wholeFrom(0).default(60),
  announceTimeoutMs: announceTimeout.default(120_000),
});

/** All but `maxConcurrent`, which is one limit for the whole gateway. */
const subagentOverrides = z.object({
  model: modelRef.exactOptional(),
  thinking: thinking.exactOptional(),
  allowAgents: z.array(nonEmpty).exactOptional(),
  runTimeoutSeconds: wholeFrom(0).exactOptional(),
  maxSpawnDepth: spawnDepth.exactOptional(),
  maxChildrenPerAgent: children.exactOptional(),
  archiveAfterMinutes: wholeFrom(0).exactOptional(),
  announceTimeoutMs: announceTimeout.exactOptional(),
});

const agent = z.object({
  id: agentId,
  name: nonEmpty.exactOptional(),
  model: modelChoice.exactOptional(),
  thinking: thinking.exactOptional(),
  workspace: nonEmpty.exactOptional(),
  agentDir: nonEmpty.exactOptional(),
  tools: agentToolsSchema.exactOptional(),
  sandbox: z
    .object({
      mode: sandboxMode.exactOptional(),
      sessionToolsVisibility: sandboxVisibility.exactOptional(),
    })
    .exactOptional(),
  subagents: subagentOverrides.exactOptional(),
  budget: budget.exactOptional(),
});

export const agentsSchema = z.object({
  defaults: z
    .object({
      model: modelChoice.exactOptional(),
      thinking: thinking.exactOptional(),
      workspace: nonEmpty.exactOptional(),
      /** Absent: max(8, 4 for each processor). */
      maxConcurrent: wholeFrom(1).exactOptional(),
      subagents: subagentDefaults.prefault({}),
      sandbox: z
        .object({
          mode: sandboxMode.default('off'),
          sessionToolsVisibility: sandboxVisibility.default('spawned'),
        })
        .prefault({}),
      budget: budget.exactOptional(),
    })
    .prefault({}),
  list: z.array(agent).default([]),
});
