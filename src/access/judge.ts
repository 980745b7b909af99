/** Looks up what is known about a sender and a place, as far as the rules ask for it, and lets them decide. */
import { type AccessDecision, decideAccess, MOST_BOT_MESSAGES } from '../core/access.ts';
import type { AccessRules } from '../core/access-rules.ts';
import type { Inbound } from '../core/message.ts';
import { keyForAddress } from '../core/session-key.ts';
import type { Binding } from '../core/thread-binding.ts';
import type { ChannelDirectory } from '../delivery/directory.ts';
import type { Settings } from '../ports/settings.ts';
import type { StoreReads } from '../ports/store/index.ts';
import { isOwner } from './owner.ts';

type Looked = Pick<StoreReads, 'pairings' | 'inputs'>;

export interface JudgeDeps {
  readonly directory: ChannelDirectory;
  readonly settings: Settings;
}

/** `binding`: of the place, if a session lives there. */
export async function judge(
  read: Looked,
  { directory, settings }: JudgeDeps,
  message: Inbound,
  { binding, isCommand }: { readonly binding: Binding | undefined; readonly isCommand: boolean },
): Promise<AccessDecision> {
  const { address, sender } = message;
  const rules = settings.access(address.channel, address.account);
  const capabilities = directory.capabilities(address);
  const pairing = await pairingStatus(read, rules, message);
  return decideAccess(message, rules, {
    isOwner: isOwner(directory, settings, address, sender.id),
    needsMention: capabilities?.needsMention === true,
    readsUnmentioned: capabilities?.readsUnmentioned === true,
    isBound: binding !== undefined,
    isCommand,
    botsInRow: sender.isBot && rules.allowsBots ? await botsInRow(read, settings, message, binding) : 0,
    ...(pairing && { pairing }),
  });
}

async function pairingStatus(read: Looked, { direct }: AccessRules, { address, sender }: Inbound) {
  if (address.chatType !== 'direct' || direct !== 'pairing') return undefined;
  return (await read.pairings.of(address.channel, address.account, sender.id))?.status;
}

async function botsInRow(
  read: Looked,
  settings: Settings,
  { address, sender }: Inbound,
  binding: Binding | undefined,
): Promise<number> {
  const key = binding?.sessionKey ?? keyForAddress(settings.agents[0]!, address, sender.id, settings.dmScope);
  const latest = await read.inputs.latestSenders(key, MOST_BOT_MESSAGES);
  const person = latest.findIndex(({ role }) => role !== 'bot');
  return person === -1 ? latest.length : person;
}
