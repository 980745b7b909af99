/** Live bindings as people are shown them. */
import type { Address } from '../core/address.ts';
import { timeLeft } from '../core/thread-binding.ts';
import type { BindingView } from '../ports/channel.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoreReads } from '../ports/store/index.ts';

export async function bindingViews(
  read: StoreReads,
  clock: Clock,
  conversation: Address,
): Promise<readonly BindingView[]> {
  const now = clock.now();
  const live = await read.bindings.ofConversation(conversation);
  return live
    .filter((binding) => binding.address.thread !== undefined)
    .filter((binding) => binding.expiresAt === undefined || binding.expiresAt > now)
    .map((binding) => ({
      thread: binding.address.thread!,
      sessionKey: binding.sessionKey,
      label: binding.label,
      ...timeLeft(binding, now),
    }));
}
