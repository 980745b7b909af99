import type { Address } from '../../core/address.ts';
import type { BindingId, SessionKey } from '../../core/ids.ts';
import type { Actor } from '../../core/message.ts';
import type { Binding, BindingEnd } from '../../core/thread-binding.ts';

export interface BindingReads {
  get(id: BindingId): Promise<Binding | undefined>;
  /** The one binding of that thread (or direct conversation) that has not ended; one indexed read. */
  live(address: Address): Promise<Binding | undefined>;
  /** Bindings to that session that have not ended. */
  ofSession(sessionKey: SessionKey): Promise<readonly Binding[]>;
  /** Bindings of the conversation's threads that have not ended, in order of binding. */
  ofConversation(conversation: Address): Promise<readonly Binding[]>;
  /** Bindings of the account's places that have not ended, latest activity first. */
  ofAccount(channel: string, account: string, limit: number): Promise<readonly Binding[]>;
  /** Bindings that have not ended and whose `expiresAt` has come, earliest first. */
  due(now: number, limit: number): Promise<readonly Binding[]>;
}

export interface BindingWrites extends BindingReads {
  /** Fails with `store-failed` if the place has a live binding already (a unique index sees to it). */
  insert(binding: Binding): Promise<void>;
  /** Changes timers or activity, with the `expiresAt` that follows from them. Returns false if it has ended. */
  update(
    id: BindingId,
    patch: {
      readonly lastActivityAt?: number;
      readonly idleMs?: number;
      readonly maxAgeMs?: number;
      readonly state?: 'active' | 'dormant';
      readonly expiresAt?: number | null;
    },
  ): Promise<boolean>;
  /** Ends it once: returns false if it had ended before. */
  end(id: BindingId, reason: BindingEnd, endedBy: Actor | undefined, now: number): Promise<boolean>;
}
