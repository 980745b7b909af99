/** Channels and their people where other parts of the configuration name them. */
import { z } from 'zod';
import { discordId, idList, isDiscordId } from './values.ts';

const CHANNEL_NAMES: readonly string[] = ['discord', 'slack', 'webchat'];
const CHOICE = `one of ${CHANNEL_NAMES.map((name) => `"${name}"`).join(', ')}`;

export const channelName = z
  .string()
  .refine((name) => CHANNEL_NAMES.includes(name))
  .meta({ expected: CHOICE, known: CHANNEL_NAMES });

/** Ids of people by channel; `"*"` stands for the channels that are not named. */
export const idsByChannel = z
  .record(
    z
      .string()
      .refine((name) => name === '*' || CHANNEL_NAMES.includes(name))
      .meta({ expected: `${CHOICE}, or "*" for all others`, known: CHANNEL_NAMES }),
    idList,
  )
  .superRefine(({ discord = [] }, context) => {
    for (const [index, id] of discord.entries()) {
      if (id === '*' || isDiscordId(id)) continue;
      const { expected } = discordId.meta()!;
      context.addIssue({ code: 'custom', path: ['discord', index], params: { expected } });
    }
  });

/** `<channel>:<id>` */
export const personAnywhere = z
  .string()
  .regex(/^[a-z]+:\S+$/)
  .superRefine((text, context) => {
    const colon = text.indexOf(':');
    const channel = text.slice(0, colon);
    if (colon > 0 && !CHANNEL_NAMES.includes(channel))
      context.addIssue({
        code: 'custom',
        params: { known: CHANNEL_NAMES.map((name) => name + text.slice(colon)) },
      });
    else if (channel === 'discord' && !isDiscordId(text.slice(colon + 1)))
      context.addIssue({
        code: 'custom',
        params: { expected: `"discord:" and ${discordId.meta()!.expected}` },
      });
  })
  .meta({
    expected: `a person as "<channel>:<id>", such as "discord:123" or "slack:U123"; the channel is ${CHOICE}`,
  });
