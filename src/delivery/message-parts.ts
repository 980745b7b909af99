/** A text as the messages that it takes at that place, by what is known of its channel. */
import type { Address } from '../core/address.ts';
import { type ReplyPart, replyParts } from '../core/long-reply.ts';
import type { ChannelDirectory } from './directory.ts';

/** For an account that nobody serves any more: short enough for any platform. */
const UNKNOWN = { maxTextLength: 2_000, maxFileBytes: 0, showsTables: true };

export function messageParts(
  directory: ChannelDirectory,
  address: Address,
  text: string,
): readonly ReplyPart[] {
  return replyParts(text, directory.capabilities(address) ?? UNKNOWN);
}
