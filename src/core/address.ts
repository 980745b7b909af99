/**
 * An address is one exact place on a platform where something can be said. A session is what is remembered; an address
 * is where it is spoken. Ids are the platform's own, kept byte for byte.
 */
export type ChatType = 'direct' | 'group' | 'channel';

export interface Address {
  /** Platform, e.g. `webchat`, `discord`. */
  readonly channel: string;
  /** Which of our accounts on that platform; `default` where there is one. */
  readonly account: string;
  readonly chatType: ChatType;
  /** The platform's id of the channel, group or direct conversation. */
  readonly conversation: string;
  /** The platform's id of the thread, when the address is inside one. */
  readonly thread?: string;
}

/** The conversation that a thread belongs to (the address itself outside a thread). */
export function parentAddress(address: Address): Address {
  const { thread: _thread, ...parent } = address;
  return parent;
}

export function threadAddress(parent: Address, thread: string): Address {
  return { ...parent, thread };
}

/** Equal for two addresses exactly when they name the same place. Used to keep sends to one place in order. */
export function placeKey(address: Address): string {
  return JSON.stringify([address.channel, address.account, address.conversation, address.thread ?? null]);
}

export function isSamePlace(a: Address, b: Address): boolean {
  return placeKey(a) === placeKey(b);
}
