/** `skein discord invite`: the address that brings the bot into a server, and what each permission is for. */
import { type DiscordAccount, discordAccounts } from '../config/discord-accounts.ts';
import { loadProcessConfig } from '../config/process.ts';
import { AppError } from '../errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { table } from './table.ts';

/** For an account that the channel's own token, and its variable, do not serve: the key that is to hold one. */
function whereToGetOne(account = 'default'): string {
  const place =
    account === 'default'
      ? '.env as DISCORD_BOT_TOKEN=…'
      : `skein.json5 as channels.discord.accounts.${account}.token`;
  return `Get one at https://discord.com/developers/applications: New Application, then Bot, then Reset Token; put it into ${place}`;
}

export interface InviteOptions {
  readonly account?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export async function discordInvite({
  account: wanted,
  config: path,
  json = false,
}: InviteOptions): Promise<ExitCode> {
  const { config } = loadProcessConfig(path === undefined ? {} : { configPath: path });
  const account = chosen(discordAccounts(config), wanted);
  const { inviteFor } = await import('../app-doctor.ts');
  const invite = await inviteFor(account);
  if (invite === undefined) {
    throw new AppError(
      'config-invalid',
      `The token of the account ${account.account} is not one of a Discord bot. ${whereToGetOne(account.account)}`,
    );
  }
  if (json) {
    process.stdout.write(`${JSON.stringify({ account: account.account, ...invite }, null, 2)}\n`);
    return EXIT.ok;
  }
  if (invite.problem !== undefined) {
    process.stderr.write(`skein: ${invite.problem}; the application's id was read from the token instead.\n`);
  }
  process.stdout.write(`Open this address, choose a server, and confirm:\n\n  ${invite.address}\n\n`);
  process.stdout.write(
    `It asks for:\n\n${table(invite.permissions.map(({ name, reason }) => [`  ${name}`, reason]))}`,
  );
  return EXIT.ok;
}

type WithToken = DiscordAccount & { readonly token: string };

function chosen(accounts: readonly DiscordAccount[], wanted: string | undefined): WithToken {
  const account =
    wanted === undefined ? accounts.find(hasToken) : accounts.find(({ account: id }) => id === wanted);
  if (account && hasToken(account)) return account;
  if (wanted === undefined) {
    throw new AppError('config-invalid', `There is no Discord token. ${whereToGetOne()}`);
  }
  if (account) {
    throw new AppError(
      'config-invalid',
      `channels.discord.accounts.${wanted} has no token. ${whereToGetOne(wanted)}`,
    );
  }
  const known = accounts.map(({ account: id }) => id).join(', ') || 'none';
  throw new AppError('config-invalid', `There is no Discord account "${wanted}"; there are: ${known}.`);
}

function hasToken(account: DiscordAccount): account is WithToken {
  return account.token !== undefined;
}
