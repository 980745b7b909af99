/** What an adapter makes of a platform event, before anything is decided about it. */
import type { Address } from './address.ts';

export interface Sender {
  /** The platform's user id. */
  readonly id: string;
  /** Shown to people and, quoted, to the model. */
  readonly name: string;
  readonly isBot: boolean;
}

/** How a message came in. A `button` carries a command that the person pressed rather than typed. */
export type MessageSource = 'message' | 'button';

/** What one person wrote (or pressed) in one place. `eventId` is the platform's message id and de-duplicates. */
export interface Inbound {
  readonly address: Address;
  readonly eventId: string;
  readonly sender: Sender;
  readonly text: string;
  readonly source: MessageSource;
  /** True when the platform says that the message is addressed to the bot (mention, reply to it, direct message). */
  readonly isAddressed: boolean;
  /** Epoch milliseconds, by the platform's clock. */
  readonly at: number;
}

/** What a person may do, decided by access, never by an adapter. */
export type Role = 'owner' | 'user';

/** Who a run, binding or input acts for. */
export interface Actor {
  readonly channel: string;
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}
