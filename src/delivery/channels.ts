/** The channel accounts that this process serves, found by address. */
import type { Address } from '../core/address.ts';
import type { ChannelAdapter } from '../ports/channel.ts';
import { accountKey } from './directory.ts';

export interface Channels {
  readonly all: readonly ChannelAdapter[];
  at(address: Pick<Address, 'channel' | 'account'>): ChannelAdapter | undefined;
}

export function createChannels(adapters: readonly ChannelAdapter[]): Channels {
  const byAccount = new Map(adapters.map((adapter) => [accountKey(adapter), adapter]));
  return { all: adapters, at: (address) => byAccount.get(accountKey(address)) };
}
