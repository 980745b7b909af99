/**
 * The configuration file as a whole. Every key has its default here, so that an empty file is a complete configuration;
 * `load.ts` adds what comes from the environment.
 */
import { z } from 'zod';
import { agentsSchema } from './agents.ts';
import { channelName, idsByChannel, personAnywhere } from './channel-names.ts';
import { channelsSchema } from './channels.ts';
import { modelsSchema } from './models.ts';
import { sessionSchema } from './session.ts';
import { toolsSchema } from './tools.ts';
import { nonEmpty, wholeFrom } from './values.ts';

const queueMode = z.enum(['steer', 'followup', 'collect', 'interrupt']);
const autoOrBool = z.union([z.literal('auto'), z.boolean()]).meta({ expected: '"auto", true or false' });

const commandsSchema = z.object({
  ownerAllowFrom: z.array(personAnywhere).default([]),
  allowFrom: idsByChannel.exactOptional(),
  native: autoOrBool.default('auto'),
  text: z.boolean().default(true),
});

const messagesSchema = z.object({
  queue: z
    .object({
      mode: queueMode.default('steer'),
      cap: wholeFrom(1).default(20),
      drop: z.enum(['summarize', 'old', 'new']).default('summarize'),
      debounceMs: wholeFrom(0).default(500),
      byChannel: z.record(channelName, queueMode).default({}),
    })
    .prefault({}),
});

const acpSchema = z.object({
  /** Absent: on as soon as a backend is set. */
  enabled: z.boolean().exactOptional(),
  dispatch: z.object({ enabled: z.boolean().default(true) }).prefault({}),
  backend: nonEmpty.exactOptional(),
  defaultAgent: nonEmpty.exactOptional(),
  allowedAgents: z.array(nonEmpty).exactOptional(),
});

/** It has to pass through a header and an address as it is, and not be guessed. */
const accessToken = z
  .string()
  .regex(/^[A-Za-z0-9._~/=-]{16,}$/)
  .meta({ expected: 'at least 16 letters, digits, or of . _ ~ / = -' });

const httpSchema = z.object({
  host: nonEmpty.default('127.0.0.1'),
  /** 0 picks a free one. */
  port: z.int().min(0).max(65_535).default(4280),
  /** Absent: generated at the first start and kept in the state folder. */
  token: accessToken.exactOptional(),
});

const storeSchema = z.object({
  /** Absent: `skein.db` in the state folder. */
  path: nonEmpty.exactOptional(),
  synchronous: z.enum(['normal', 'full']).default('normal'),
});

export const configSchema = z.object({
  session: sessionSchema.prefault({}),
  channels: channelsSchema.prefault({}),
  tools: toolsSchema.prefault({}),
  agents: agentsSchema.prefault({}),
  models: modelsSchema.prefault({}),
  acp: acpSchema.prefault({}),
  commands: commandsSchema.prefault({}),
  messages: messagesSchema.prefault({}),
  http: httpSchema.prefault({}),
  store: storeSchema.prefault({}),
  queue: z.object({ prefix: nonEmpty.default('skein') }).prefault({}),
  shutdown: z.object({ graceSeconds: wholeFrom(0).default(30) }).prefault({}),
  worktreeRoot: z
    .string()
    .regex(/^(\/|~\/|[A-Za-z]:[\\/])/)
    .exactOptional()
    .meta({ expected: 'an absolute path, or one beginning with ~/' }),
});

export type ConfigFile = z.output<typeof configSchema>;
