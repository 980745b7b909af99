/** Whether mentions in a channel are answered in a thread of their own: the channel's value, else the account's, else no. Pure. */
import { entryFor } from '../core/access-rules.ts';
import type { Config } from './load.ts';

/** `space`: the server that the channel is in. */
export function autoThread(
  { channels }: Pick<Config, 'channels'>,
  at: { readonly channel: string; readonly account: string; readonly conversation: string },
  space: string | undefined,
): boolean {
  if (at.channel !== 'discord') return false;
  const { accounts, ...section } = channels.discord;
  const keys = { ...section, ...accounts?.[at.account] };
  const guild = space === undefined ? undefined : entryFor(keys.guilds ?? {}, space);
  return entryFor(guild?.channels ?? {}, at.conversation)?.autoThread ?? keys.autoThread ?? false;
}
