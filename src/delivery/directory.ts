/**
 * What is known of the channel accounts: plain data, so that a process without any connection to a platform (a worker)
 * decides just as the one that holds it.
 */
import { type Address, parentAddress, threadAddress } from '../core/address.ts';
import type { ChannelAdapter, ChannelCapabilities } from '../ports/channel.ts';

type Account = Pick<Address, 'channel' | 'account'>;

export interface ChannelDirectory {
  /** `undefined` for an account that nobody serves. */
  capabilities(of: Account): ChannelCapabilities | undefined;
}

export const accountKey = ({ channel, account }: Account): string => JSON.stringify([channel, account]);

export function directoryOf(adapters: readonly ChannelAdapter[]): ChannelDirectory {
  const known = new Map(adapters.map((adapter) => [accountKey(adapter), adapter]));
  return { capabilities: (of) => known.get(accountKey(of))?.capabilities };
}

/** Whether a thread can be opened in the conversation of that place. */
export function canOpenThreads(directory: ChannelDirectory, at: Address): boolean {
  const capabilities = directory.capabilities(at);
  if (!capabilities?.hasThreads) return false;
  return at.chatType !== 'direct' || capabilities.hasDirectThreads;
}

/** How a thread beside `at` is pointed to in a text of its channel. */
export function threadLink(directory: ChannelDirectory, at: Address, thread: string): string {
  const target = threadAddress(parentAddress(at), thread);
  const template = directory.capabilities(at)?.threadLink ?? 'a thread of its own';
  return template.replaceAll('{conversation}', target.conversation).replaceAll('{thread}', thread);
}
