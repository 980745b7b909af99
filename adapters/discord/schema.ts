/** What is read of Discord's REST answers, and of what its events share with them, and no more. */
import { z } from 'zod';

const overwrite = z.object({
  id: z.string(),
  type: z.union([z.literal(0), z.literal(1)]),
  allow: z.string(),
  deny: z.string(),
});

/** A channel or thread: what and where it is. */
export const placeSchema = z.object({
  id: z.string(),
  type: z.number(),
  guild_id: z.string().optional(),
  name: z.string().nullish(),
  parent_id: z.string().nullish(),
  /** Of a thread: who opened it. */
  owner_id: z.string().optional(),
  thread_metadata: z.object({ archived: z.boolean(), locked: z.boolean().default(false) }).optional(),
});
export type PlaceAnswer = z.output<typeof placeSchema>;

/** The same, with what may be done there. */
export const channelSchema = placeSchema.extend({
  flags: z.number().optional(),
  permission_overwrites: z.array(overwrite).optional(),
  available_tags: z.array(z.object({ id: z.string(), moderated: z.boolean() })).optional(),
});
export type DiscordChannel = z.infer<typeof channelSchema>;

export const activeThreadsSchema = z.object({ threads: z.array(channelSchema) });

export const sentSchema = z.object({ id: z.string() });

const component = z.object({ custom_id: z.string().optional() });

export const messageSchema = z.object({
  id: z.string(),
  author: z.object({ id: z.string() }),
  content: z.string(),
  message_reference: z.object({ message_id: z.string().optional() }).optional(),
  attachments: z.array(z.object({ filename: z.string() })),
  components: z.array(z.object({ components: z.array(component).optional() })).optional(),
});
export type DiscordMessage = z.infer<typeof messageSchema>;

export const messagesSchema = z.array(messageSchema);

export const userSchema = z.object({ id: z.string() });

export const guildSchema = z.object({
  id: z.string(),
  owner_id: z.string(),
  roles: z.array(z.object({ id: z.string(), permissions: z.string() })),
});

export const memberSchema = z.object({
  roles: z.array(z.string()),
  communication_disabled_until: z.string().nullish(),
});

const person = z.object({ id: z.string(), username: z.string() });

export const applicationSchema = z.object({
  id: z.string(),
  name: z.string(),
  flags: z.int().default(0),
  owner: person.nullish(),
  team: z
    .object({
      name: z.string(),
      owner_user_id: z.string(),
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
