/** Answers of Discord that the checks read, as far as they read them. */
import { z } from 'zod';
import type { memberSchema } from '../schema.ts';

const id = z.string();
const bits = z.string().regex(/^\d+$/);

export const selfSchema = z.object({ id, username: z.string() });

const person = z.object({ id, username: z.string() });

export const applicationSchema = z.object({
  id,
  name: z.string(),
  flags: z.int().default(0),
  owner: person.nullish(),
  team: z
    .object({
      name: z.string(),
      owner_user_id: id,
      /** 1: invited, 2: has accepted. */
      members: z.array(z.object({ membership_state: z.int(), user: person })),
    })
    .nullish(),
  bot_public: z.boolean().default(true),
  bot_require_code_grant: z.boolean().default(false),
  interactions_endpoint_url: z.string().nullish(),
});
export type Application = z.output<typeof applicationSchema>;

export const gatewaySchema = z.object({
  url: z.string(),
  shards: z.int(),
  /** `reset_after`: milliseconds. */
  session_start_limit: z.object({ total: z.int(), remaining: z.int(), reset_after: z.number() }),
});
export type GatewayAnswer = z.output<typeof gatewaySchema>;

export const ownGuildsSchema = z.array(
  z.object({ id, name: z.string(), owner: z.boolean().default(false), permissions: bits.default('0') }),
);
export type OwnGuild = z.output<typeof ownGuildsSchema>[number];

export const guildSchema = z.object({
  id,
  name: z.string(),
  owner_id: id,
  roles: z.array(z.object({ id, name: z.string(), permissions: bits })),
});
export type GuildAnswer = z.output<typeof guildSchema>;

export type MemberAnswer = z.output<typeof memberSchema>;

const overwriteSchema = z.object({
  id,
  type: z.union([z.literal(0), z.literal(1)]),
  allow: bits,
  deny: bits,
});

export const channelsSchema = z.array(
  z.object({
    id,
    type: z.int(),
    name: z.string().default(''),
    permission_overwrites: z.array(overwriteSchema).default([]),
  }),
);
export type ChannelAnswer = z.output<typeof channelsSchema>[number];
