/**
 * One chat platform account. An adapter translates: platform events into `Inbound`, our parts into platform calls. It
 * decides nothing about access, routing or sessions.
 */
import type { Address } from '../core/address.ts';
import type { RunCard } from '../core/card.ts';
import type { CommandSpec, CompletionChoice } from '../core/command-grammar.ts';
import type { Inbound } from '../core/message.ts';

export interface ChannelCapabilities {
  /** Whether a thread can be opened from a message. */
  readonly hasThreads: boolean;
  /** Whether that is so in direct conversations too. */
  readonly hasDirectThreads: boolean;
  /** Whether a thread opened from a message has that message's id, so that its address is known beforehand. */
  readonly threadsAreNamedByMessage: boolean;
  /** Whether cards are drawn; elsewhere their text stands alone. */
  readonly hasCards: boolean;
  /** The longest text of one part, in UTF-16 units; longer replies are split. */
  readonly maxTextLength: number;
  readonly maxTitleLength: number;
  /** Whether Markdown tables are drawn as tables; elsewhere they are laid out in a code block. */
  readonly showsTables: boolean;
  /** The largest file of ours, in bytes of UTF-8; 0 where none can be sent. */
  readonly maxFileBytes: number;
  /** A message that is kept up to date is edited no more often than this. */
  readonly editIntervalMs: number;
  /** False where unmentioned messages do not reach us, so that a bound thread needs a mention. */
  readonly readsUnmentioned: boolean;
  /** Whether a message in a channel must be addressed to the bot, unless the configuration says otherwise. */
  readonly needsMention: boolean;
  /** How a message of this platform links to a thread; `{conversation}` and `{thread}` stand for the ids. */
  readonly threadLink: string;
  /** Platform user ids that own the gateway by virtue of the platform itself. */
  readonly owners: readonly string[];
}

/** One durable thing to say. `id` is deterministic: sending it twice must show it once. */
export interface OutboundPart {
  readonly id: string;
  readonly address: Address;
  readonly text: string;
  readonly card?: RunCard;
  /** The platform's id of the message that it answers. One that is gone is left out. */
  readonly replyTo?: string;
  readonly file?: OutboundFile;
  /** When it was decided, in epoch milliseconds: it cannot have been sent before. */
  readonly madeAt?: number;
  /** The run whose reply it is: the signs of its work at that place are over. */
  readonly replyOf?: string;
}

/** A text file that goes with a message. */
export interface OutboundFile {
  readonly name: string;
  readonly text: string;
}

export interface Receipt {
  /** The platform's id of the message. */
  readonly messageId: string;
}

/** A command's answer. `isPrivate` is honoured where the platform can show a reply to one person only. */
export interface CommandReply {
  readonly text: string;
  readonly isPrivate?: boolean;
}

export interface InboundMessage extends Inbound {
  /**
   * Answers a command, at once and where it was given. Repeating it for the same event shows one answer. Rejects with a
   * ChannelError when the platform refuses.
   */
  reply(reply: CommandReply): Promise<void>;
}

/** A place where the bot is active, with the newest message there that was dealt with. */
export interface Cursor {
  readonly address: Address;
  readonly eventId: string;
}

/** How an account is doing. `detail` says in words for people what is wrong and what to do. */
export interface ChannelState {
  readonly status: 'ready' | 'connecting' | 'down';
  readonly detail?: string;
}

/** What became of an inbound message. The same event offered again gives the same receipt and has no second effect. */
export type InboundReceipt =
  | { readonly status: 'admitted'; readonly sessionKey: string; readonly runId: string }
  | { readonly status: 'command'; readonly command: string }
  | { readonly status: 'dropped'; readonly reason: string };

/** A live binding, as people are shown it. `idleLeftMs` and `maxAgeLeftMs` are absent where that timer is off. */
export interface BindingView {
  readonly thread: string;
  readonly sessionKey: string;
  readonly label: string;
  readonly idleLeftMs?: number;
  readonly maxAgeLeftMs?: number;
}

export interface ChannelHandlers {
  /** Resolves once the message is stored or its drop is recorded; only then may the platform be told so. */
  message(message: InboundMessage): Promise<InboundReceipt>;
  /** Whether access would let the message in as things stand, so that its files are worth fetching. Records nothing. */
  mayTalk(message: Inbound): Promise<boolean>;
  /** People deleted or locked the thread; without a thread in the address, the whole conversation is gone for us. */
  threadGone(address: Address, reason: 'deleted' | 'locked'): Promise<void>;
  /** The platform put the thread to sleep: what is bound to it stays, and the next message wakes it. */
  threadArchived(address: Address): Promise<void>;
  /** The account's places to look for missed messages in, most recently active first. */
  cursors(): Promise<readonly Cursor[]>;
  /**
   * Messages of one place that came in while nobody listened, oldest first; those that were dealt with are recognised. They
   * are answered, or people are asked, as the configuration says.
   */
  missed(address: Address, messages: readonly InboundMessage[]): Promise<void>;
  /** `capabilities` of the adapter have become known or have changed. */
  capabilitiesChanged(): Promise<void>;
  /** Live bindings of the threads of one conversation. */
  bindings(conversation: Address): Promise<readonly BindingView[]>;
  /** Every command, for registration and help. */
  readonly commands: readonly CommandSpec[];
  /**
   * Choices that complete the last word of the command that is being typed, at most 25; none for somebody who may not give
   * it. It is as if it were said, with its text as far as it goes.
   */
  complete(typed: Inbound): Promise<readonly CompletionChoice[]>;
}

/**
 * Contract: `send`, `openThread` and `edit` reject with a `ChannelError` only. After an unknown outcome (timeout, crash)
 * the caller repeats the same call, or asks `findSent` first; neither may show a second message or open a second thread.
 */
export interface ChannelAdapter {
  readonly channel: string;
  readonly account: string;
  /** May change while it is started: some platforms tell only after connecting. */
  readonly capabilities: ChannelCapabilities;
  /** Absent: `ready` from start to stop. */
  state?(): ChannelState;
  /**
   * Begins to receive; does not wait for the platform, which may be away. Events that came in before a crash and were not
   * admitted are offered again.
   */
  start(handlers: ChannelHandlers): Promise<void>;
  /** Ends receiving and lets calls under way finish. Idempotent. */
  stop(): Promise<void>;
  send(part: OutboundPart): Promise<Receipt>;
  /** Looks on the platform for a part that may have been sent. */
  findSent(part: OutboundPart): Promise<Receipt | undefined>;
  /** Opens the thread of that message, or finds the one it already has. Returns the platform's thread id. */
  openThread(anchor: { address: Address; messageId: string }, title: string): Promise<{ thread: string }>;
  /** Replaces text and card of a message of ours. */
  edit(target: { address: Address; messageId: string }, part: Omit<OutboundPart, 'id'>): Promise<void>;
  /** Lossy: shows that a run works out an answer there, or no longer does; over with its reply at the latest. */
  setTyping?(address: Address, isWorking: boolean, runId: string): void;
  /** Lossy: shows that a message of a person waits for its turn, or no longer does. */
  setQueued?(address: Address, eventId: string, isQueued: boolean): void;
  /** Lossy: what that thread is bound to has changed. */
  bindingChanged?(address: Address): void;
  /** Lossy: shows the text of a reply that is still being written; over once `setTyping` says so or its reply is sent there. */
  preview?(address: Address, runId: string, text: string): void;
}
