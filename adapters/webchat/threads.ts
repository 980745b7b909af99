/** Threads: opened from a message (whose id they take, so that opening again finds the same one) or on their own. */
import { AppError } from '../../src/errors.ts';
import type { BindingView, ChannelAdapter } from '../../src/ports/channel.ts';
import type { ChatStore } from '../../src/ports/chat-store.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Ids } from '../../src/ports/ids.ts';
import { asChannelCall } from './errors.ts';
import { MAX_TITLE_LENGTH, type PostThread } from './schema.ts';
import { type ThreadView, threadView } from './view.ts';

export type OpenedThread =
  | { readonly status: 'opened' | 'existing'; readonly thread: ThreadView }
  | { readonly status: 'unknown-message' }
  /** The message is itself inside a thread. */
  | { readonly status: 'nested' };

export interface Threads extends Pick<ChannelAdapter, 'openThread'> {
  open(body: PostThread): Promise<OpenedThread>;
  list(conversation: string, bindings: readonly BindingView[]): Promise<readonly ThreadView[]>;
}

export interface ThreadsParts {
  readonly store: ChatStore;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Tells listeners that something was stored. */
  readonly stored: () => void;
}

export function createThreads({ store, clock, ids, stored }: ThreadsParts): Threads {
  async function insert(id: string, conversation: string, title: string): Promise<ThreadView> {
    const thread = await store.openThread({
      id,
      conversation,
      title: shorten(title),
      isArchived: false,
      createdAt: clock.now(),
    });
    stored();
    return threadView(thread);
  }

  async function openFrom(conversation: string, messageId: string, title?: string): Promise<OpenedThread> {
    const message = await store.getMessage(messageId);
    if (message?.conversation !== conversation) return { status: 'unknown-message' };
    if (message.thread !== undefined) return { status: 'nested' };
    const existing = await store.getThread(messageId);
    if (existing) return { status: 'existing', thread: threadView(existing) };
    const firstLine = message.text.trim().split('\n')[0]!;
    return { status: 'opened', thread: await insert(messageId, conversation, title ?? firstLine) };
  }

  return {
    openThread: ({ address, messageId }, title) =>
      asChannelCall(async () => {
        const opened = await openFrom(address.conversation, messageId, title);
        if ('thread' in opened) return { thread: opened.thread.id };
        throw opened.status === 'nested'
          ? new AppError(
              'channel-invalid',
              `Message ${messageId} is inside a thread; threads cannot be nested.`,
            )
          : new AppError('channel-not-found', `The web chat has no message ${messageId} there.`);
      }),
    async open({ conversation, messageId, title }) {
      if (messageId !== undefined) return openFrom(conversation, messageId, title);
      return { status: 'opened', thread: await insert(ids.uuid(), conversation, title ?? 'Thread') };
    },
    async list(conversation, bindings) {
      const threads = await store.threads(conversation);
      return threads.map((thread) =>
        threadView(
          thread,
          bindings.find((binding) => binding.thread === thread.id),
        ),
      );
    },
  };
}

function shorten(title: string): string {
  const line = title.replace(/\s+/g, ' ').trim() || 'Thread';
  if (line.length <= MAX_TITLE_LENGTH) return line;
  // Cut between characters, never inside a surrogate pair.
  return `${line.slice(0, MAX_TITLE_LENGTH - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
