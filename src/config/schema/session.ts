/** `session.*`: how conversations become sessions, what may be sent, and what binds a thread. */
import { z } from 'zod';
import { channelName } from './channel-names.ts';
import { hours, nonEmpty, spawnContext } from './values.ts';

const allowOrDeny = z.enum(['allow', 'deny']);

const sendRule = z.object({
  match: z.object({
    channel: channelName.exactOptional(),
    chatType: z.enum(['direct', 'group', 'channel']).exactOptional(),
    keyPrefix: nonEmpty.exactOptional(),
  }),
  action: allowOrDeny,
});

const threadBindings = z.object({
  enabled: z.boolean().default(true),
  idleHours: hours.default(24),
  maxAgeHours: hours.default(0),
  spawnSessions: z.boolean().default(true),
  defaultSpawnContext: spawnContext.default('fork'),
});

export const sessionSchema = z.object({
  scope: z.enum(['per-sender', 'global']).default('per-sender'),
  dmScope: z.enum(['main', 'per-peer', 'per-channel-peer', 'per-account-channel-peer']).default('main'),
  sendPolicy: z
    .object({ rules: z.array(sendRule).default([]), default: allowOrDeny.default('allow') })
    .prefault({}),
  agentToAgent: z.object({ maxPingPongTurns: z.int().min(0).max(20).default(5) }).prefault({}),
  threadBindings: threadBindings.prefault({}),
});

/** The keys of `session.threadBindings` at a channel or account: what is absent is inherited. */
export const bindingOverrides = z.object({
  enabled: z.boolean().exactOptional(),
  idleHours: hours.exactOptional(),
  maxAgeHours: hours.exactOptional(),
  spawnSubagentSessions: z.boolean().exactOptional(),
  /** Another name of `spawnSubagentSessions`, which wins where both are given. */
  spawnSessions: z.boolean().exactOptional(),
  defaultSpawnContext: spawnContext.exactOptional(),
});
