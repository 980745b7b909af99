/**
 * Whether a message is meant for the bot. Pure; decided message by message, never from how a thread began. The table is in
 * docs/access.md.
 */
import type { EffectiveRules } from './access-rules.ts';
import type { Inbound } from './message.ts';

export interface GateFacts {
  /** The platform has channels in which people also talk past the bot. */
  readonly needsMention: boolean;
  /** Unmentioned messages reach us with their text. */
  readonly readsUnmentioned: boolean;
  /** A session lives in the thread, so that what is written there is meant for it. */
  readonly isBound: boolean;
}

export function isMeantForBot(
  message: Pick<Inbound, 'address' | 'source' | 'isAddressed' | 'isMention' | 'place'>,
  rules: Pick<EffectiveRules, 'requiresMention' | 'requiresExplicitMention'>,
  facts: GateFacts,
): boolean {
  const { address, source, place } = message;
  if (source !== 'message' || address.chatType === 'direct') return true;
  if (facts.isBound && facts.readsUnmentioned) return true;
  if (!facts.needsMention) return true;
  if (address.thread !== undefined && !facts.isBound) {
    if (rules.requiresExplicitMention) return message.isMention === true;
    if (place?.isOwnThread === true && facts.readsUnmentioned) return true;
  }
  return message.isAddressed || !rules.requiresMention;
}
