/**
 * Addresses of Discord. A thread's conversation is its parent channel; a post of a forum is a thread of the forum. A direct
 * conversation is its DM channel.
 */
import type { Address } from '../../src/core/address.ts';

export const CHANNEL = 'discord';

/** A channel as Discord names it. `parentId` is the thread's parent; absent where it is no thread. */
export interface Place {
  readonly channelId: string;
  readonly parentId?: string;
  readonly isDirect: boolean;
}

export function addressOf(account: string, { channelId, parentId, isDirect }: Place): Address {
  return {
    channel: CHANNEL,
    account,
    chatType: isDirect ? 'direct' : 'channel',
    conversation: parentId ?? channelId,
    ...(parentId !== undefined && { thread: channelId }),
  };
}

/** The Discord channel that is written to at that address. */
export function placeChannelId(address: Address): string {
  return address.thread ?? address.conversation;
}
