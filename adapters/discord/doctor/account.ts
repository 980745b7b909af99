/** What the checks must know of an account's configuration: who may speak to it where. */

export interface CheckedChannel {
  /** False: closed. */
  readonly allow?: boolean;
  readonly requireMention?: boolean;
}

export interface CheckedGuild {
  readonly requireMention?: boolean;
  /** By channel id, or `*`. */
  readonly channels?: Readonly<Record<string, CheckedChannel>>;
}

export interface CheckedAccount {
  readonly account: string;
  readonly dmPolicy?: 'pairing' | 'allowlist' | 'open' | 'disabled';
  readonly groupPolicy?: 'open' | 'allowlist' | 'disabled';
  readonly allowFrom?: readonly string[];
  /** By server id, or `*`. */
  readonly guilds?: Readonly<Record<string, CheckedGuild>>;
  /** User ids that the configuration names as owners. */
  readonly owners: readonly string[];
}

const DEFAULT_ACCOUNT = 'default';

/** How the checks call it; where there is one account only, its name would tell nothing. */
export function accountLabel({ account }: CheckedAccount): string {
  return account === DEFAULT_ACCOUNT ? 'discord' : `discord/${account}`;
}

/** Where its token stands; a token in the file wins over the variable. */
export function tokenPlace({ account }: CheckedAccount): string {
  return account === DEFAULT_ACCOUNT
    ? 'DISCORD_BOT_TOKEN in .env, or channels.discord.token if that is set'
    : `channels.discord.accounts.${account}.token`;
}

const EVERYWHERE = '*';

/** Ids of the servers that the configuration names. */
export function namedGuilds({ guilds = {} }: CheckedAccount): readonly string[] {
  return Object.keys(guilds).filter((id) => id !== EVERYWHERE);
}

/** Ids of the channels of that server that the configuration names and leaves open. */
export function namedChannels({ guilds = {} }: CheckedAccount, guildId: string): readonly string[] {
  const channels = guilds[guildId]?.channels ?? {};
  return Object.keys(channels).filter((id) => id !== EVERYWHERE && channels[id]?.allow !== false);
}

/** Where unmentioned messages are to be answered, as paths below `guilds`. */
export function mentionFreePlaces({ guilds = {} }: CheckedAccount): readonly string[] {
  return Object.entries(guilds).flatMap(([guild, { requireMention, channels = {} }]) => [
    ...(requireMention === false ? [`guilds.${guild}`] : []),
    ...Object.entries(channels)
      .filter(([, channel]) => channel.requireMention === false)
      .map(([channel]) => `guilds.${guild}.channels.${channel}`),
  ]);
}
