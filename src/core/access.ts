/** Who may speak to the bot, and as whom. Pure; every refusal has a reason that is recorded. */
import type { Actor, Inbound } from './message.ts';

export interface AccessFacts {
  /** The configuration or the platform names the sender as an owner. */
  readonly isOwner: boolean;
  /** The channel answers only to what is addressed to the bot. */
  readonly needsMention: boolean;
  /** A session lives in the thread, so that what is written there is meant for it. */
  readonly isBound: boolean;
}

export type AccessDecision =
  | { readonly kind: 'allowed'; readonly actor: Actor }
  | { readonly kind: 'dropped'; readonly reason: 'sender-is-bot' | 'empty-text' | 'not-addressed' };

export function decideAccess(message: Inbound, facts: AccessFacts): AccessDecision {
  const { sender, address } = message;
  if (sender.isBot) return { kind: 'dropped', reason: 'sender-is-bot' };
  if (message.text.trim() === '') return { kind: 'dropped', reason: 'empty-text' };
  if (facts.needsMention && !message.isAddressed && !facts.isBound) {
    return { kind: 'dropped', reason: 'not-addressed' };
  }
  const role = facts.isOwner ? 'owner' : 'user';
  return { kind: 'allowed', actor: { channel: address.channel, id: sender.id, name: sender.name, role } };
}
