/** The channel accounts of this process, found by address. */
import type { Address } from '../core/address.ts';
import type { ChannelAdapter } from '../ports/channel.ts';

export interface Channels {
  readonly all: readonly ChannelAdapter[];
  at(address: Pick<Address, 'channel' | 'account'>): ChannelAdapter | undefined;
}

export function createChannels(adapters: readonly ChannelAdapter[]): Channels {
  const byAccount = new Map(
    adapters.map((adapter) => [JSON.stringify([adapter.channel, adapter.account]), adapter]),
  );
  return { all: adapters, at: ({ channel, account }) => byAccount.get(JSON.stringify([channel, account])) };
}
