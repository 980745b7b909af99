/** `tools.*`: which tools there are, for whom, and how far they see. */
import { z } from 'zod';
import { nonEmpty, toolNames, url, wholeFrom } from './values.ts';

const scope = {
  profile: z.enum(['minimal', 'coding', 'messaging', 'full']).exactOptional(),
  allow: toolNames.exactOptional(),
  deny: toolNames.exactOptional(),
  alsoAllow: toolNames.exactOptional(),
};

const byProvider = z.record(nonEmpty, z.object(scope)).exactOptional();

/** A set of filters as an agent may carry its own. */
export const agentToolsSchema = z.object({ ...scope, byProvider });

const mcpServer = z
  .object({
    command: nonEmpty.exactOptional(),
    args: z.array(z.string()).exactOptional(),
    env: z.record(nonEmpty, z.string()).exactOptional(),
    url: url.exactOptional(),
    headers: z.record(nonEmpty, z.string()).exactOptional(),
  })
  .refine((server) => (server.command === undefined) !== (server.url === undefined))
  .meta({ expected: 'either { command, args, env } or { url, headers }' });

const spawnAttachments = z.object({
  enabled: z.boolean().default(true),
  maxFiles: wholeFrom(0).default(50),
  maxFileBytes: wholeFrom(0).default(1_048_576),
  maxTotalBytes: wholeFrom(0).default(5_242_880),
  retainOnSessionKeep: z.boolean().default(false),
});

export const toolsSchema = z.object({
  ...scope,
  byProvider,
  sessions: z.object({ visibility: z.enum(['self', 'tree', 'agent', 'all']).default('tree') }).prefault({}),
  agentToAgent: z
    .object({ enabled: z.boolean().default(false), allow: z.array(nonEmpty).default([]) })
    .prefault({}),
  subagents: z
    .object({
      tools: z.object({ allow: toolNames.exactOptional(), deny: toolNames.default([]) }).prefault({}),
    })
    .prefault({}),
  sessions_spawn: z.object({ attachments: spawnAttachments.prefault({}) }).prefault({}),
  mcp: z.object({ servers: z.record(nonEmpty, mcpServer).default({}) }).prefault({}),
  approval: z.array(nonEmpty.meta({ expected: 'a tool name or exec:<pattern>' })).default([]),
});
