/** The chat's records as `docs/http-api.md` shows them. */
import type { RunCard } from '../../src/core/card.ts';
import type { BindingView } from '../../src/ports/channel.ts';
import type { ChatMessage, ChatThread } from '../../src/ports/chat-store.ts';

export interface MessageView {
  readonly id: string;
  readonly seq: number;
  readonly conversation: string;
  readonly thread?: string;
  readonly author: { readonly kind: 'user' | 'bot'; readonly name: string };
  readonly text: string;
  readonly at: number;
  readonly card?: RunCard;
}

export interface ThreadView {
  readonly id: string;
  readonly conversation: string;
  readonly title: string;
  readonly archived: boolean;
  /** The session that the thread speaks to, while a binding is live. */
  readonly boundTo?: string;
  readonly label?: string;
  readonly idleLeftMs?: number;
  readonly maxAgeLeftMs?: number;
}

export function messageView(message: ChatMessage): MessageView {
  const { id, seq, conversation, thread, author, text, at, card } = message;
  return {
    id,
    seq,
    conversation,
    ...(thread !== undefined && { thread }),
    author: { kind: author.kind, name: author.name },
    text,
    at,
    ...(card !== undefined && { card }),
  };
}

export function threadView(thread: ChatThread, binding?: BindingView): ThreadView {
  const { id, conversation, title, isArchived } = thread;
  return {
    id,
    conversation,
    title,
    archived: isArchived,
    ...(binding && { boundTo: binding.sessionKey, label: binding.label }),
    ...(binding?.idleLeftMs !== undefined && { idleLeftMs: binding.idleLeftMs }),
    ...(binding?.maxAgeLeftMs !== undefined && { maxAgeLeftMs: binding.maxAgeLeftMs }),
  };
}
