/** What tests wait for and look at, as people would: messages, threads, connections. */
import type { Platform } from './platform.ts';
import type { Thread } from './threads.ts';
import { textOf, type VisibleMessage, visibleMessage } from './visible.ts';
import type { Watch } from './watch.ts';
import { FLAG_LOADING } from './wire-message.ts';
import { type Channel, isThread, type Message, messagesOf } from './world.ts';

export interface ReplyWait {
  /** Only messages after this one. */
  readonly after?: Message;
  /** A part of the visible text, a pattern, or a question. */
  readonly matching?: string | RegExp | ((message: Message) => boolean);
  /** Default `bot`. */
  readonly from?: 'bot' | 'anyone';
  /** Default 10 s. */
  readonly timeoutMs?: number;
}

export interface ThreadWait {
  readonly parent?: Channel;
  /** A part of its name, or a pattern. */
  readonly named?: string | RegExp;
  /** Default 10 s. */
  readonly timeoutMs?: number;
}

export interface Waits {
  /** Resolves when so many sessions (default 1) are connected. */
  waitForGateway(connections?: number, timeoutMs?: number): Promise<void>;

  /** The first message that fits. The object is live: it changes with edits. */
  waitForReply(channel: Channel, wait?: ReplyWait): Promise<Message>;
  waitForThread(wait?: ThreadWait): Promise<Thread>;
  /** Resolves with the first answer that is not undefined, asked after each change of the world. */
  waitFor<T>(what: string, probe: () => T | undefined, timeoutMs?: number): Promise<T>;
  /** The stored messages, oldest first, live. */
  messages(channel: Channel): readonly Message[];
  /** The same as people see them, without what Discord writes itself. */
  visible(channel: Channel): readonly VisibleMessage[];
}

interface WaitsParts {
  readonly platform: Platform;
  readonly watch: Watch;
  readonly connections: () => number;
}

/** Written by Discord itself: a rename, a pin, the beginning of a thread. */
const isNotice = ({ type }: Message): boolean => type !== 0 && type !== 19 && type !== 20;

function fits(message: Message, { after, matching, from = 'bot' }: ReplyWait, botId: string): boolean {
  if (from === 'bot' && message.author.id !== botId) return false;
  if (message.flags & FLAG_LOADING || isNotice(message)) return false;
  if (after && BigInt(message.id) <= BigInt(after.id)) return false;
  if (matching === undefined) return true;
  if (typeof matching === 'function') return matching(message);
  const text = textOf(message);
  return typeof matching === 'string' ? text.includes(matching) : matching.test(text);
}

export function createWaits({ platform, watch, connections }: WaitsParts): Waits {
  const { world } = platform;
  return {
    waitForGateway: async (count = 1, timeoutMs) => {
      await watch.until(() => connections() >= count || undefined, {
        what: `${count} gateway connections`,
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
    },
    waitForReply: (channel, wait = {}) =>
      watch.until(() => messagesOf(world, channel.id).find((message) => fits(message, wait, world.bot.id)), {
        what: `a message ${wait.matching === undefined ? '' : `matching ${wait.matching} `}in ${channel.name}`,
        ...(wait.timeoutMs === undefined ? {} : { timeoutMs: wait.timeoutMs }),
        seen: () => messagesOf(world, channel.id).map(visibleMessage),
      }),
    waitForThread: ({ parent, named, timeoutMs } = {}) =>
      watch.until(
        () =>
          [...world.channels.values()]
            .filter(isThread)
            .find(
              ({ parentId, name }) =>
                (parent === undefined || parentId === parent.id) &&
                (named === undefined ||
                  (typeof named === 'string' ? name.includes(named) : named.test(name))),
            ),
        {
          what: `a thread ${named === undefined ? '' : `named ${named}`}`,
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
          seen: () => [...world.channels.values()].filter(isThread).map(({ name }) => name),
        },
      ),
    waitFor: (what, probe, timeoutMs) =>
      watch.until(probe, { what, ...(timeoutMs === undefined ? {} : { timeoutMs }) }),
    messages: (channel) => messagesOf(world, channel.id),
    visible: (channel) =>
      messagesOf(world, channel.id)
        .filter((message) => !isNotice(message))
        .map(visibleMessage),
  };
}
