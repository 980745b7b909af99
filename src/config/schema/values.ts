/**
 * Values that occur at several places of the configuration. `meta.expected` is what a person is told when the value is
 * wrong; where it is missing, the sentence is derived from the schema (see `expectation.ts`).
 */
import { z } from 'zod';
import { isAgentId } from '../../core/session-key.ts';
import { THINKING_LEVELS } from '../../core/thinking.ts';

export const nonEmpty = z.string().min(1);

/** Beyond a hundred years a time no longer fits where times are kept. */
const MAX_HOURS = 876_000;

/** Durations and counters that may be switched off with 0. */
export const hours = z
  .number()
  .min(0)
  .max(MAX_HOURS)
  .meta({ expected: `a number of hours from 0 to ${MAX_HOURS} (0 = off)` });
export const wholeFrom = (min: number) => z.int().min(min);

export const agentId = z.string().refine(isAgentId).meta({
  expected: 'an agent id: a-z, 0-9, "_" or "-", beginning with a letter or digit, at most 64 characters',
});

/** Ids of people and places. As a number, a Discord id would lose its last digits. */
export const platformId = nonEmpty.meta({ expected: 'an id in quotes' });
export const idList = z.array(platformId);

const DISCORD_ID =
  'an id in quotes, not a name (turn on Developer Mode in Discord, then right-click and choose Copy ID)';
export const isDiscordId = (text: string) => /^\d+$/.test(text);
export const discordId = z.string().refine(isDiscordId).meta({ expected: DISCORD_ID });
/** Also `"*"`, which stands for all that are not named. */
export const discordIdOrAll = z
  .string()
  .refine((text) => text === '*' || isDiscordId(text))
  .meta({ expected: DISCORD_ID });
export const discordIdList = z.array(discordIdOrAll);

/** Taken as it stands in a header too, where `Bot` comes before it. */
export const discordToken = z
  .string()
  .overwrite((text) => text.replace(/^\s*Bot\s+/i, '').trim())
  .min(1);

export const toolNames = z.array(nonEmpty.meta({ expected: 'a tool name or group:<name>' }));

export const modelRef = z
  .string()
  .regex(/^[^/\s]+\/\S+$/)
  .meta({ expected: 'a model as "<provider>/<model>"' });

/** What an agent uses: one model, or one with stand-ins tried in order when it fails. */
export const modelChoice = z
  .union([modelRef, z.object({ primary: modelRef, fallbacks: z.array(modelRef).default([]) })])
  .transform((choice) =>
    typeof choice === 'string' ? { primary: choice, fallbacks: [] as string[] } : choice,
  )
  .meta({ expected: 'a model as "<provider>/<model>", or { primary, fallbacks: [] } of such' });

export const thinking = z.enum(THINKING_LEVELS);

export const url = z
  .string()
  .refine((text) => /^https?:\/\//.test(text) && URL.canParse(text))
  .meta({ expected: 'a URL beginning with http:// or https://' });

export const spawnContext = z.enum(['fork', 'isolated']);
