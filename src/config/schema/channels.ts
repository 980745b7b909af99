/** `channels.*`: the accounts on each platform, and who may speak to them where. */
import { z } from 'zod';
import { bindingOverrides } from './session.ts';
import { discordId, discordIdList, discordIdOrAll, discordToken, idList, nonEmpty, url } from './values.ts';

const dmPolicy = z.enum(['pairing', 'allowlist', 'open', 'disabled']);
const groupPolicy = z.enum(['open', 'allowlist', 'disabled']);
const streaming = z.enum(['off', 'partial']);
const catchUp = z.enum(['ask', 'answer', 'off']);

/** Where unmentioned messages count, and who may speak. Absent values are inherited from the level above. */
const place = {
  requireMention: z.boolean().exactOptional(),
  threadRequireExplicitMention: z.boolean().exactOptional(),
};

const discordPlace = {
  ...place,
  users: discordIdList.exactOptional(),
  roles: z.array(discordId).exactOptional(),
};

const discordGuild = z.object({
  ...discordPlace,
  channels: z
    .record(
      discordIdOrAll,
      z.object({
        ...discordPlace,
        allow: z.boolean().exactOptional(),
        autoThread: z.boolean().exactOptional(),
      }),
    )
    .exactOptional(),
});

const access = {
  enabled: z.boolean().exactOptional(),
  dmPolicy: dmPolicy.exactOptional(),
  groupPolicy: groupPolicy.exactOptional(),
  allowBots: z.boolean().exactOptional(),
  threadBindings: bindingOverrides.exactOptional(),
};

const discordKeys = {
  ...access,
  allowFrom: discordIdList.exactOptional(),
  token: discordToken.exactOptional(),
  apiUrl: url.exactOptional(),
  guilds: z.record(discordIdOrAll, discordGuild).exactOptional(),
  slashCommand: z.object({ ephemeral: z.boolean().exactOptional() }).exactOptional(),
  autoThread: z.boolean().exactOptional(),
  streaming: streaming.exactOptional(),
  catchUp: catchUp.exactOptional(),
  commands: z.object({ guilds: z.array(discordId).exactOptional() }).exactOptional(),
};

const slackKeys = {
  ...access,
  allowFrom: idList.exactOptional(),
  botToken: nonEmpty.exactOptional(),
  appToken: nonEmpty.exactOptional(),
  signingSecret: nonEmpty.exactOptional(),
  mode: z.enum(['socket', 'http']).exactOptional(),
  apiUrl: url.exactOptional(),
  channels: z
    .record(
      nonEmpty,
      z.object({ ...place, users: idList.exactOptional(), allow: z.boolean().exactOptional() }),
    )
    .exactOptional(),
  slashCommand: z
    .object({
      enabled: z.boolean().exactOptional(),
      name: nonEmpty.exactOptional(),
      ephemeral: z.boolean().exactOptional(),
    })
    .exactOptional(),
  replyInThread: z.boolean().exactOptional(),
  streaming: streaming.exactOptional(),
  catchUp: catchUp.exactOptional(),
};

const webchatKeys = { threadBindings: bindingOverrides.exactOptional() };

/** No defaults here: an account inherits from its channel first, and only then come defaults. */
export const channelsSchema = z.object({
  discord: z
    .object({ ...discordKeys, accounts: z.record(nonEmpty, z.object(discordKeys)).exactOptional() })
    .prefault({}),
  slack: z
    .object({ ...slackKeys, accounts: z.record(nonEmpty, z.object(slackKeys)).exactOptional() })
    .prefault({}),
  webchat: z
    .object({ ...webchatKeys, accounts: z.record(nonEmpty, z.object(webchatKeys)).exactOptional() })
    .prefault({}),
});
