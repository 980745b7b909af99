/** Answers of Discord that the checks read, as far as they read them. */
import { z } from 'zod';
import type { memberSchema } from '../schema.ts';

const id = z.string();
const bits = z.string().regex(/^\d+$/);

export const selfSchema = z.object({ id, username: z.string() });

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
