/**
 * The web chat's own store: what a chat platform would keep on its servers. It knows nothing of sessions or runs.
 */
import type { RunCard } from '../core/card.ts';

export interface ChatMessage {
  readonly id: string;
  /** Grows over all conversations. */
  readonly seq: number;
  readonly conversation: string;
  readonly thread?: string;
  readonly author: { readonly kind: 'user' | 'bot'; readonly name: string };
  readonly text: string;
  readonly at: number;
  readonly card?: RunCard;
}

export interface ChatThread {
  /** Equal to the id of the message that it was opened from, if there was one. */
  readonly id: string;
  readonly conversation: string;
  readonly title: string;
  readonly isArchived: boolean;
  readonly createdAt: number;
}

/** A durable change that listeners are told of, numbered for resuming. */
export interface ChatEvent {
  readonly seq: number;
  readonly type: 'message' | 'card' | 'thread';
  readonly conversation: string;
  readonly thread?: string;
  /** What `docs/http-api.md` shows for that event. */
  readonly data: unknown;
}

export interface ChatStore {
  /** Stores the message and its event. One with the same id is left as it is and returned. */
  addMessage(
    message: Omit<ChatMessage, 'seq'> & { readonly needsAdmission: boolean },
  ): Promise<{ readonly message: ChatMessage; readonly isNew: boolean }>;
  getMessage(id: string): Promise<ChatMessage | undefined>;
  /** Oldest first, `after` (a `seq`) exclusive; without `after` the newest `limit`. `thread` absent: the conversation's root. */
  messages(query: {
    conversation: string;
    thread?: string;
    after?: number;
    limit: number;
  }): Promise<readonly ChatMessage[]>;
  /** Replaces text and card, and stores a `card` event. Unknown id: returns undefined. */
  editMessage(id: string, change: { text: string; card?: RunCard }): Promise<ChatMessage | undefined>;
  /** User messages that were stored but not handed over, oldest first. */
  unadmitted(): Promise<readonly ChatMessage[]>;
  markAdmitted(ids: readonly string[]): Promise<void>;
  /** Inserts the thread with its event; an existing id is returned as it is. */
  openThread(thread: ChatThread): Promise<ChatThread>;
  getThread(id: string): Promise<ChatThread | undefined>;
  threads(conversation: string): Promise<readonly ChatThread[]>;
  setArchived(id: string, isArchived: boolean): Promise<void>;
  /** Names of all conversations, in order of first use. */
  conversations(): Promise<readonly string[]>;
  /** Events after `seq`, oldest first. */
  eventsAfter(seq: number, limit: number): Promise<readonly ChatEvent[]>;
  lastEventSeq(): Promise<number>;
}
