/**
 * Everything that can be found out about one account by asking Discord. Reads only, one question after the other, and
 * stops where the next answer would say nothing new.
 *
 *   token → application → gateway → access → each server's channels
 */
import { type REST, Routes } from 'discord.js';
import { type Check, fail, ok, warn } from '../../../src/core/check.ts';
import { formatDuration } from '../../../src/core/duration.ts';
import { applicationSchema, type GatewayAnswer, gatewaySchema, memberSchema } from '../schema.ts';
import { accessChecks } from './access-checks.ts';
import { accountLabel, type CheckedAccount, namedGuilds, tokenPlace } from './account.ts';
import { applicationChecks } from './application-checks.ts';
import { type Answer, ask } from './ask.ts';
import { guildCheck } from './guild-check.ts';
import { inviteAddress } from './invite.ts';
import { channelsSchema, guildSchema, type OwnGuild, ownGuildsSchema, selfSchema } from './schema.ts';

type Rest = Pick<REST, 'get'>;

/** Three questions each; more servers are looked at only where the configuration names them. */
const MAX_GUILDS = 20;

/** `now`: epoch ms. Never rejects. */
export async function accountChecks(
  rest: Rest,
  account: CheckedAccount,
  now: number,
): Promise<readonly Check[]> {
  const label = accountLabel(account);
  const self = await ask(rest, Routes.user(), selfSchema);
  if (self.kind !== 'answer') return [tokenRefused(account, self)];
  const { id: botId, username } = self.value;
  const application = await ask(rest, Routes.currentApplication(), applicationSchema);
  const gateway = await ask(rest, Routes.gatewayBot(), gatewaySchema);
  const own = await ask(rest, Routes.userGuilds(), ownGuildsSchema);
  const checks = [
    ok(`${label} token`, `Valid; the bot is called ${username}.`),
    ...(application.kind === 'answer'
      ? applicationChecks(label, application.value, account)
      : [unanswered(`${label} application`, application)]),
    gatewayCheck(`${label} gateway`, gateway),
  ];
  if (own.kind !== 'answer') return [...checks, unanswered(`${label} servers`, own)];
  const applicationId = application.kind === 'answer' ? application.value.id : botId;
  return [
    ...checks,
    ...accessChecks(label, account, own.value),
    ...(own.value.length === 0
      ? [noServer(label, applicationId)]
      : await serverChecks(rest, own.value, account, { botId, now })),
  ];
}

async function serverChecks(
  rest: Rest,
  all: readonly OwnGuild[],
  account: CheckedAccount,
  facts: { readonly botId: string; readonly now: number },
): Promise<readonly Check[]> {
  const named = namedGuilds(account);
  const isNamed = ({ id }: OwnGuild) => named.includes(id);
  const wanted = [...all.filter(isNamed), ...all.filter((guild) => !isNamed(guild))];
  const looked = wanted.slice(0, Math.max(MAX_GUILDS, named.length));
  const checks: Check[] = [];
  for (const guild of looked) checks.push(await serverCheck(rest, guild, account, facts));
  const left = all.length - looked.length;
  if (left > 0)
    checks.push(ok(`${accountLabel(account)} servers`, `${left} more servers were not looked at.`));
  return checks;
}

async function serverCheck(
  rest: Rest,
  { id, name }: OwnGuild,
  account: CheckedAccount,
  { botId, now }: { readonly botId: string; readonly now: number },
): Promise<Check> {
  const label = accountLabel(account);
  const guild = await ask(rest, Routes.guild(id), guildSchema);
  const channels = await ask(rest, Routes.guildChannels(id), channelsSchema);
  const member = await ask(rest, Routes.guildMember(id, botId), memberSchema);
  if (guild.kind !== 'answer') return unanswered(`${label} server ${name}`, guild);
  if (channels.kind !== 'answer') return unanswered(`${label} server ${name}`, channels);
  if (member.kind !== 'answer') return unanswered(`${label} server ${name}`, member);
  const membership = { guild: guild.value, botId, member: member.value, now };
  return guildCheck(label, membership, channels.value, account);
}

export function noServer(label: string, applicationId: string): Check {
  return fail(
    `${label} servers`,
    'The bot is in no server.',
    `Open this address to bring it into one: ${inviteAddress(applicationId)}`,
  );
}

type Failed = Exclude<Answer<unknown>, { readonly kind: 'answer' }>;

function tokenRefused(account: CheckedAccount, answer: Failed): Check {
  const name = `${accountLabel(account)} token`;
  if (answer.kind === 'unauthorized') {
    return fail(
      name,
      'Discord does not know this token.',
      `Take a new one: https://discord.com/developers/applications → your application → Bot → Reset Token, and put it where the old one is: ${tokenPlace(account)}.`,
    );
  }
  return unanswered(name, answer);
}

function unanswered(name: string, answer: Answer<unknown>): Check {
  const problem = 'problem' in answer ? answer.problem : 'the token is no longer valid';
  return fail(
    name,
    `Could not be looked at: ${problem}.`,
    'Check the network, a proxy in between, and channels.discord.apiUrl if it is set; then try again.',
  );
}

/** A bot that has begun too many sessions in a day cannot connect before the count is reset. */
function gatewayCheck(name: string, answer: Answer<GatewayAnswer>): Check {
  if (answer.kind !== 'answer') return unanswered(name, answer);
  const { shards, session_start_limit: limit } = answer.value;
  const found = `${limit.remaining} of ${limit.total} connections left today, ${shards} recommended ${shards === 1 ? 'shard' : 'shards'}.`;
  const reset = formatDuration(limit.reset_after);
  if (limit.remaining < shards) return fail(name, found, `Wait ${reset}: then the count begins anew.`);
  if (limit.remaining < limit.total / 10) {
    return warn(name, found, `Restart less often: the count begins anew in ${reset}.`);
  }
  return ok(name, found);
}
