/**
 * The composition root of the checks: what has to be looked at, with the adapters that can look. Reads only; nothing is
 * made, and nothing stays open or connected.
 */
import { join } from 'node:path';
import { reachProvider } from '../adapters/models/index.ts';
import { createSystemClock } from '../adapters/node/index.ts';
import { isStateLocked, lookAtDatabase } from '../adapters/sql/index.ts';
import { type DiscordAccount, discordAccounts } from './config/discord-accounts.ts';
import type { Config } from './config/load.ts';
import { type Check, fail, ok, warn } from './core/check.ts';
import { modelCheck, type ProviderReach } from './doctor/model.ts';
import { stateChecks } from './doctor/state-folder.ts';
import { asError } from './errors.ts';
import type { Clock } from './ports/clock.ts';
import type { Log } from './ports/log.ts';

/** Everything but what the command line knows best: Node, how the configuration was loaded, the running gateway. */
export async function examine(config: Config): Promise<readonly Check[]> {
  const clock = createSystemClock();
  const { home, store } = config;
  return [
    ...stateChecks({ home, databasePath: store.path, database: () => lookAtDatabase(store.path) }),
    await defaultModelCheck(config, clock),
    ...(await redisChecks(config)),
    ...(await discordChecks(config, clock)),
  ];
}

/** Whether a gateway holds the state folder, whatever it has written down about itself. */
export function isFolderInUse({ home }: Config): boolean {
  return isStateLocked(join(home, 'gateway.lock'));
}

async function defaultModelCheck({ defaultModel, providers }: Config, clock: Clock): Promise<Check> {
  const { provider: id, model } = defaultModel;
  const provider = providers.find((known) => known.id === id);
  return modelCheck(id, model, await reach());

  async function reach(): Promise<ProviderReach> {
    if (provider === undefined || provider.api === 'offline') return { kind: 'offline' };
    if (provider.api !== 'openai-chat') return { kind: 'not-asked' };
    const { baseUrl, apiKey } = provider;
    const settings = {
      api: provider.api,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(apiKey !== undefined && { apiKey }),
    };
    return reachProvider(id, settings, clock);
  }
}

async function redisChecks({ redisUrl }: Config): Promise<readonly Check[]> {
  if (redisUrl === undefined) return [];
  const { checkRedis } = await import('../adapters/bullmq/index.ts');
  try {
    const seen = await checkRedis(redisUrl);
    if (seen.ok) return [ok('redis', 'It can be reached, and keeps what it is given.')];
    const advice = 'See docs/redis.md. Nothing is lost meanwhile: the database is the truth.';
    return [(seen.isAway ? fail : warn)('redis', `${seen.problem}.`, advice)];
  } catch (thrown) {
    return [fail('redis', `${asError(thrown).message}.`, 'See docs/redis.md.')];
  }
}

async function discordChecks(config: Config, clock: Clock): Promise<readonly Check[]> {
  const accounts = discordAccounts(config);
  if (accounts.length === 0) {
    return [ok('discord', 'Off: there is no token.', 'To switch it on see docs/discord.md.')];
  }
  const { accountChecks, createAsker } = await import('../adapters/discord/doctor/index.ts');
  const checks: Check[] = [];
  for (const account of accounts) {
    if (account.token === undefined) checks.push(tokenMissing(account));
    else {
      const asker = createAsker({ token: account.token, ...(account.apiUrl && { apiUrl: account.apiUrl }) });
      const owners = ownersOf(config);
      checks.push(...(await accountChecks(asker, { ...account, owners }, clock.now())));
    }
  }
  return checks;
}

function tokenMissing({ account }: DiscordAccount): Check {
  return fail(
    `discord/${account} token`,
    'The account has no token, so it stays off.',
    `Set channels.discord.accounts.${account}.token, or take the account out.`,
  );
}

/** User ids that `commands.ownerAllowFrom` names for Discord. */
function ownersOf({ commands }: Config): readonly string[] {
  const prefix = 'discord:';
  return commands.ownerAllowFrom
    .filter((entry) => entry.startsWith(prefix))
    .map((entry) => entry.slice(prefix.length));
}

export interface InviteLook {
  readonly applicationId: string;
  readonly address: string;
  /** Why the id was read from the token. */
  readonly problem?: string;
  readonly permissions: readonly { readonly name: string; readonly reason: string }[];
}

/** `undefined`: neither Discord nor the token tells which application it is. */
export async function inviteFor(
  account: DiscordAccount & { readonly token: string },
): Promise<InviteLook | undefined> {
  const { createAsker, inviteOf, NEEDED_PERMISSIONS } = await import('../adapters/discord/doctor/index.ts');
  const { token, apiUrl } = account;
  const invite = await inviteOf(createAsker({ token, ...(apiUrl !== undefined && { apiUrl }) }), token);
  if (invite === undefined) return undefined;
  return { ...invite, permissions: NEEDED_PERMISSIONS.map(({ name, reason }) => ({ name, reason })) };
}

export interface StartChecks {
  /** An account has connected: looks at it in the background, and says once what is wrong with it. */
  look(channel: string, account: string): void;
  /** What the newest looks have shown. */
  findings(): readonly Check[];
}

export function createStartChecks(config: Config, log: Log): StartChecks {
  const found = new Map<string, readonly Check[]>();
  const said = new Set<string>();

  async function lookAt({ token, apiUrl, ...account }: DiscordAccount): Promise<void> {
    if (token === undefined) return;
    const { createAsker, lightCheck } = await import('../adapters/discord/doctor/index.ts');
    const asker = createAsker({ token, ...(apiUrl !== undefined && { apiUrl }) });
    const checks = await lightCheck(asker, { ...account, owners: ownersOf(config) });
    found.set(account.account, checks);
    for (const { name, found: what, advice } of checks) {
      const text = `${name}: ${what}${advice === undefined ? '' : ` ${advice}`}`;
      if (!said.has(text)) log.warn({ account: account.account }, text);
      said.add(text);
    }
  }

  return {
    look(channel, id) {
      if (channel !== 'discord') return;
      const account = discordAccounts(config).find((known) => known.account === id);
      if (!account) return;
      lookAt(account).catch((thrown: unknown) =>
        log.debug({ account: id, error: asError(thrown).message }, 'an account could not be looked at'),
      );
    },
    findings: () => [...found.values()].flat(),
  };
}
