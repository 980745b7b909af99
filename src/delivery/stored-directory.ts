/** The channel accounts as the gateway has written them down, for processes that serve none themselves. */
import type { ChannelCapabilities } from '../ports/channel.ts';
import type { StoreReads } from '../ports/store/index.ts';
import { accountKey, type ChannelDirectory } from './directory.ts';

export interface StoredDirectory extends ChannelDirectory {
  /** Looks at what is written now. */
  refresh(): Promise<void>;
}

export function createStoredDirectory(read: StoreReads): StoredDirectory {
  let known: ReadonlyMap<string, ChannelCapabilities> = new Map();
  return {
    capabilities: (of) => known.get(accountKey(of)),
    async refresh() {
      const served = await read.accounts.all();
      known = new Map(served.map((account) => [accountKey(account), account.capabilities]));
    },
  };
}
