/** What is read of Discord's events and of messages fetched from it, and no more. */
import { z } from 'zod';
import { placeSchema } from '../schema.ts';

const id = z.string();

const personSchema = z.object({
  id,
  username: z.string(),
  global_name: z.string().nullish(),
  bot: z.boolean().optional(),
});
export type Person = z.output<typeof personSchema>;

const memberSchema = z.object({ nick: z.string().nullish(), roles: z.array(id).default([]) });

const attachmentSchema = z.object({
  filename: z.string(),
  size: z.number(),
  url: z.string(),
  content_type: z.string().nullish(),
});
export type Attachment = z.output<typeof attachmentSchema>;

/** A message, as an event or fetched; only an event names the server and the sender's standing in it. */
export const heardSchema = z.object({
  id,
  type: z.number(),
  channel_id: id,
  channel_type: z.number().optional(),
  guild_id: id.optional(),
  author: personSchema,
  webhook_id: id.optional(),
  member: memberSchema.optional(),
  content: z.string(),
  timestamp: z.string(),
  mentions: z.array(personSchema.extend({ member: memberSchema.optional() })).default([]),
  attachments: z.array(attachmentSchema).default([]),
  referenced_message: z
    .object({ author: personSchema, webhook_id: id.optional(), content: z.string() })
    .nullish(),
});
export type HeardMessage = z.output<typeof heardSchema>;

export const heardListSchema = z.array(heardSchema);

export const memberAnswerSchema = memberSchema;

export const guildEventSchema = z.object({
  id,
  unavailable: z.boolean().optional(),
  name: z.string().optional(),
  channels: z.array(placeSchema).default([]),
  threads: z.array(placeSchema).default([]),
});

export const threadListSchema = z.object({ guild_id: id, threads: z.array(placeSchema) });

export const readySchema = z.object({
  user: z.object({ id, username: z.string() }),
  guilds: z.array(z.object({ id })),
});

/** One option of a command; subcommands hold further ones. */
const valueSchema = z.object({
  name: z.string(),
  type: z.number(),
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  focused: z.boolean().optional(),
});
const optionSchema = valueSchema.extend({ options: z.array(valueSchema).optional() });
export type CommandOption = z.output<typeof optionSchema>;

const commandDataSchema = z.object({
  name: z.string(),
  type: z.number(),
  options: z.array(optionSchema).default([]),
});
export type CommandData = z.output<typeof commandDataSchema>;

const standing = {
  id,
  application_id: id,
  token: z.string(),
  guild_id: id.optional(),
  channel: placeSchema,
  member: memberSchema.extend({ user: personSchema }).optional(),
  user: personSchema.optional(),
};

/** A command (2), a button or the like (3), or a command being typed (4); other kinds are never asked for. */
export const interactionSchema = z.discriminatedUnion('type', [
  z.object({ ...standing, type: z.literal(2), data: commandDataSchema }),
  z.object({ ...standing, type: z.literal(3), data: z.object({ custom_id: z.string() }) }),
  z.object({ ...standing, type: z.literal(4), data: commandDataSchema }),
]);
export type Interaction = z.output<typeof interactionSchema>;
