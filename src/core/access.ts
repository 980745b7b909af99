/**
 * Who may speak to the bot, and as whom. Pure; every refusal has a reason that is recorded.
 *
 *   other bots → meant for the bot? → may they speak here (or give commands)? → anything said? → loop guard
 */
import { type AccessRules, isNamed, passesFilters, rulesAt } from './access-rules.ts';
import { type GateFacts, isMeantForBot } from './mention-gate.ts';
import type { Actor, Inbound } from './message.ts';

/** So many messages of bots in a row, in one session, are answered; then a person must speak first. */
export const MOST_BOT_MESSAGES = 6;

export interface AccessFacts extends GateFacts {
  /** The configuration or the platform names the sender as an owner. */
  readonly isOwner: boolean;
  /** The message is a command, typed or chosen. */
  readonly isCommand: boolean;
  /** What is stored about a stranger; absent: nothing. */
  readonly pairing?: 'pending' | 'approved' | 'denied';
  /** Messages of bots in the session since a person last spoke there. */
  readonly botsInRow: number;
}

/** Why nothing comes of a message, which its sender is not told. */
export type SilentReason =
  | 'sender-is-bot'
  | 'not-addressed'
  | 'sender-not-allowed'
  | 'direct-disabled'
  | 'groups-disabled'
  | 'place-not-allowed'
  | 'pairing-denied'
  | 'empty-text'
  | 'bots-only'
  | 'command-not-allowed';

export type AccessDecision =
  | { readonly kind: 'allowed'; readonly actor: Actor }
  | { readonly kind: 'dropped'; readonly reason: SilentReason }
  /** The sender is told, in private where that is possible. */
  | { readonly kind: 'refused'; readonly reason: 'command-not-allowed' | 'not-for-presser' }
  /** Somebody unknown writes directly: they may ask to be let in. */
  | { readonly kind: 'stranger' };

const dropped = (reason: SilentReason): AccessDecision => ({ kind: 'dropped', reason });

export function decideAccess(message: Inbound, rules: AccessRules, facts: AccessFacts): AccessDecision {
  const { sender, address } = message;
  if (sender.isBot) return decideBot(message, rules, facts);
  if (!isMeantForBot(message, rulesAt(rules, address, message.place), facts)) return dropped('not-addressed');
  if (message.presser !== undefined && message.presser !== sender.id && !facts.isOwner)
    return { kind: 'refused', reason: 'not-for-presser' };
  const obstacle = facts.isOwner ? undefined : obstacleFor(message, rules, facts);
  if (obstacle === 'pairing-needed') return { kind: 'stranger' };
  if (obstacle !== undefined)
    return facts.isCommand ? { kind: 'refused', reason: 'command-not-allowed' } : dropped(obstacle);
  if (isEmpty(message)) return dropped('empty-text');
  return allowed(message, facts.isOwner ? 'owner' : 'user');
}

/** Bots talk at most; they are told nothing, since they might answer it. */
function decideBot(message: Inbound, rules: AccessRules, facts: AccessFacts): AccessDecision {
  const { address } = message;
  if (!rules.allowsBots) return dropped('sender-is-bot');
  if (!isMeantForBot(message, rulesAt(rules, address, message.place), facts)) return dropped('not-addressed');
  if (facts.isCommand) return dropped('command-not-allowed');
  const obstacle = obstacleToSpeak(message, rules, facts);
  if (obstacle !== undefined) return dropped(obstacle === 'pairing-needed' ? 'sender-not-allowed' : obstacle);
  if (isEmpty(message)) return dropped('empty-text');
  if (facts.botsInRow >= MOST_BOT_MESSAGES) return dropped('bots-only');
  return allowed(message, 'bot');
}

type Obstacle = SilentReason | 'pairing-needed';

function obstacleFor(message: Inbound, rules: AccessRules, facts: AccessFacts): Obstacle | undefined {
  if (!facts.isCommand || rules.commandsFrom === undefined) return obstacleToSpeak(message, rules, facts);
  return isNamed(rules.commandsFrom, message.sender.id) ? undefined : 'command-not-allowed';
}

function obstacleToSpeak(message: Inbound, rules: AccessRules, facts: AccessFacts): Obstacle | undefined {
  return message.address.chatType === 'direct'
    ? obstacleInDirect(message, rules, facts)
    : obstacleInGroup(message, rules);
}

function obstacleInDirect(
  { sender }: Inbound,
  rules: AccessRules,
  { pairing }: AccessFacts,
): Obstacle | undefined {
  if (rules.direct === 'disabled') return 'direct-disabled';
  if (rules.direct === 'open' || isNamed(rules.allowFrom, sender.id)) return undefined;
  if (rules.direct === 'allowlist') return 'sender-not-allowed';
  if (pairing === 'approved') return undefined;
  return pairing === 'denied' ? 'pairing-denied' : 'pairing-needed';
}

function obstacleInGroup({ sender, address, place }: Inbound, rules: AccessRules): Obstacle | undefined {
  if (rules.groups === 'disabled') return 'groups-disabled';
  const here = rulesAt(rules, address, place);
  if (here.isClosed) return 'place-not-allowed';
  if (isNamed(rules.allowFrom, sender.id)) return undefined;
  if (rules.groups === 'allowlist' && !here.isListed) return 'place-not-allowed';
  return passesFilters(here, sender.id, place?.roles ?? []) ? undefined : 'sender-not-allowed';
}

function isEmpty({ text, files }: Inbound): boolean {
  return text.trim() === '' && (files?.length ?? 0) === 0;
}

function allowed({ sender, address }: Inbound, role: Actor['role']): AccessDecision {
  return {
    kind: 'allowed',
    actor: { channel: address.channel, id: sender.id, name: sender.name, role },
  };
}

const REFUSALS = {
  'command-not-allowed': 'You may not give me commands here. Please ask whoever runs this bot to allow it.',
  'not-for-presser': 'That button is for whoever asked.',
} as const;

export function refusalText(reason: keyof typeof REFUSALS): string {
  return REFUSALS[reason];
}
