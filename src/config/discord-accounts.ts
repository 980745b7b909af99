/**
 * The Discord accounts that are configured: each with its own keys over those of the channel. The channel's own token is
 * that of the account `default`; no other account inherits it, since one bot cannot be logged in twice. Pure.
 */
import type { Config } from './load.ts';

type DiscordSection = Config['channels']['discord'];
type DiscordKeys = NonNullable<DiscordSection['accounts']>[string];

export interface DiscordAccount extends Omit<DiscordKeys, 'token'> {
  readonly account: string;
  /** Absent: it stays off until it has one. */
  readonly token?: string;
}

const DEFAULT_ACCOUNT = 'default';

/** Those that are not switched off, `default` first; it is there as soon as it has a token. */
export function discordAccounts({ channels }: Pick<Config, 'channels'>): readonly DiscordAccount[] {
  const { accounts = {}, token: channelToken, ...shared } = channels.discord;
  const names = [
    ...new Set([...(channelToken === undefined ? [] : [DEFAULT_ACCOUNT]), ...Object.keys(accounts)]),
  ];
  return names
    .map((account) => {
      const own = accounts[account] ?? {};
      const token = own.token ?? (account === DEFAULT_ACCOUNT ? channelToken : undefined);
      return { ...shared, ...own, account, ...(token !== undefined && { token }) };
    })
    .filter(({ enabled }) => enabled ?? true);
}
