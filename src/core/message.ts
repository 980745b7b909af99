/** What an adapter makes of a platform event, before anything is decided about it. */
import type { Address } from './address.ts';

export interface Sender {
  /** The platform's user id. */
  readonly id: string;
  /** Shown to people and, quoted, to the model. */
  readonly name: string;
  readonly isBot: boolean;
}

/**
 * How a message came in. A `button` carries a command that the person pressed rather than typed; a `command` one that the
 * platform let them put together (a native slash command).
 */
export type MessageSource = 'message' | 'button' | 'command';

/** What the platform says of a place and of the sender's standing in it; rules of access may name these. */
export interface PlaceFacts {
  /** The server or workspace; absent in direct messages. */
  readonly space?: string;
  /** The place as people know it, such as `guild #channel`. */
  readonly name?: string;
  /** The sender's roles there, by id. */
  readonly roles?: readonly string[];
  /** The thread was opened by the bot itself. */
  readonly isOwnThread?: boolean;
}

/** A file that came with a message. What could not be taken carries the reason, in words for people. */
export type InboundFile =
  | { readonly name: string; readonly mediaType: string; readonly bytes: Uint8Array }
  | { readonly name: string; readonly refused: string };

/** The message that somebody answers to. */
export interface Quote {
  readonly author: string;
  readonly isBot: boolean;
  readonly text: string;
}

/** A command as the platform hands it over: its name, and the values of its options as text. */
export interface GivenCommand {
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
}

/** What one person wrote (or pressed) in one place. `eventId` is the platform's message id and de-duplicates. */
export interface Inbound {
  readonly address: Address;
  readonly eventId: string;
  readonly sender: Sender;
  readonly text: string;
  readonly source: MessageSource;
  /** True when the platform says that the message is addressed to the bot (mention, reply to it, direct message). */
  readonly isAddressed: boolean;
  /** It names the bot itself, which a reply to the bot does not. */
  readonly isMention?: boolean;
  readonly place?: PlaceFacts;
  /** For `command`; `text` is how it would be typed. */
  readonly command?: GivenCommand;
  /** For `button`: the only person, apart from owners, who may press it. Absent: anybody. */
  readonly presser?: string;
  readonly files?: readonly InboundFile[];
  readonly quote?: Quote;
  /** Epoch milliseconds, by the platform's clock. */
  readonly at: number;
}

/** What somebody may do, decided by access, never by an adapter. A `bot` may talk, but gives no commands. */
export type Role = 'owner' | 'user' | 'bot';

/** Who a run, binding or input acts for. */
export interface Actor {
  readonly channel: string;
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}
