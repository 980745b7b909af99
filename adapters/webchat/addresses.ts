/** Web chat places as addresses, and names as senders. */
import { createHash } from 'node:crypto';
import type { Address } from '../../src/core/address.ts';
import type { Sender } from '../../src/core/message.ts';

export const CHANNEL = 'webchat';
export const ACCOUNT = 'default';

export interface Place {
  readonly conversation: string;
  readonly thread?: string | undefined;
}

export function addressOf({ conversation, thread }: Place): Address {
  return {
    channel: CHANNEL,
    account: ACCOUNT,
    chatType: 'channel',
    conversation,
    ...(thread !== undefined && { thread }),
  };
}

export function placeOf(address: Address): { conversation: string; thread?: string } {
  const { conversation, thread } = address;
  return { conversation, ...(thread !== undefined && { thread }) };
}

export function senderOf(name: string): Sender {
  return { id: name, name, isBot: false };
}

/** The message id of a part or answer of ours: the same for the same source, whatever characters that has. */
export function messageIdFor(kind: 'm' | 'r', source: string): string {
  return `${kind}_${createHash('sha256').update(source).digest('hex').slice(0, 40)}`;
}
