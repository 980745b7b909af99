import type { ChannelCapabilities } from '../channel.ts';

/** A channel account that the gateway serves, as workers need to know it. */
export interface ServedAccount {
  readonly channel: string;
  readonly account: string;
  readonly capabilities: ChannelCapabilities;
}

export interface AccountReads {
  all(): Promise<readonly ServedAccount[]>;
}

export interface AccountWrites extends AccountReads {
  /** From now on these, and no others, are served. */
  replace(accounts: readonly ServedAccount[]): Promise<void>;
}
