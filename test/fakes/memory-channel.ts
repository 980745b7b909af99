/**
 * A chat platform in memory behind the channel port. It shows a part that is sent twice once, opens one thread a message,
 * and can be told to refuse calls or to lose their answers.
 */
import type { Address } from '../../src/core/address.ts';
import type { RunCard } from '../../src/core/card.ts';
import type { Inbound } from '../../src/core/message.ts';
import { AppError, type ErrorCode } from '../../src/errors.ts';
import type {
  ChannelAdapter,
  ChannelCapabilities,
  ChannelHandlers,
  CommandReply,
  InboundMessage,
  InboundReceipt,
  OutboundFile,
  OutboundPart,
} from '../../src/ports/channel.ts';

export interface PostedMessage {
  readonly id: string;
  readonly replyTo?: string;
  readonly file?: OutboundFile;
  readonly conversation: string;
  readonly thread?: string;
  text: string;
  card?: RunCard;
}

export interface PostedThread {
  readonly id: string;
  readonly title: string;
  /** The message that it was opened from. */
  readonly anchor: string;
}

export interface Saying {
  readonly thread?: string;
  /** Default: `owner`, who owns the bot. */
  readonly user?: string;
  /** The platform's id of the message; a new one when left out. */
  readonly id?: string;
  readonly conversation?: string;
  /** In the direct conversation with that user. */
  readonly isDirect?: boolean;
  /** Whatever else is to be different about the event. */
  readonly event?: Partial<Inbound>;
}

/** `at`: when it was written. */
export interface Missed extends Saying {
  readonly text: string;
  readonly at: number;
}

export interface Heard {
  readonly receipt: InboundReceipt;
  /** What the command answered at once; empty when it answered nothing. */
  readonly replies: readonly string[];
}

/** `reply`: what is answered at once. */
type Call = 'send' | 'openThread' | 'edit' | 'reply';

export interface MemoryChannel extends ChannelAdapter {
  /** A person writes; resolves with what became of it. */
  say(text: string, saying?: Saying): Promise<Heard>;
  /** A person opens a thread of their own. */
  openPlainThread(): string;
  /** People delete the thread; later calls to it are refused. */
  deleteThread(thread: string): Promise<void>;
  /** The same, and the bot is not told. */
  loseThread(thread: string): void;
  /** What the bot has posted, oldest first. */
  readonly messages: readonly PostedMessage[];
  readonly threads: readonly PostedThread[];
  /** Parts that were looked for, since an earlier attempt may have sent them. */
  readonly lookedFor: readonly OutboundPart[];
  /** Texts that the bot has posted in that thread, or outside of threads. */
  texts(thread?: string): readonly string[];
  /** Messages of people that are shown as waiting, by their ids. */
  readonly waiting: ReadonlySet<string>;
  /** The conversation with all its threads is deleted; later calls to the threads are refused. */
  deleteConversation(): Promise<void>;
  /** People lock the thread. */
  lockThread(thread: string): Promise<void>;
  /** The platform puts the thread to sleep. */
  archiveThread(thread: string): Promise<void>;
  /** What the bot would look for after a time away. */
  cursors: ChannelHandlers['cursors'];
  /** Hands over messages of one place that came in while nobody listened; resolves with what was answered at once. */
  miss(...messages: readonly Missed[]): Promise<readonly string[]>;
  /** The next call of that kind is refused, and has no effect. `hint`: what people may be told to do. */
  refuseNext(call: Call, code: ErrorCode, hint?: string): void;
  /** The next call of that kind has its effect, but its answer is lost. */
  loseAnswerOf(call: Call): void;
  /** Whether a message that is said now would be let in. */
  mayTalk(text: string, saying?: Saying): ReturnType<ChannelHandlers['mayTalk']>;
  /** What is offered to somebody who has typed so much. */
  complete(text: string, saying?: Saying): ReturnType<ChannelHandlers['complete']>;
}

const CAPABILITIES: ChannelCapabilities = {
  hasThreads: true,
  hasDirectThreads: false,
  threadsAreNamedByMessage: true,
  showsTables: true,
  maxFileBytes: 0,
  editIntervalMs: 1_000,
  hasCards: true,
  maxTextLength: 2_000,
  maxTitleLength: 100,
  readsUnmentioned: true,
  needsMention: false,
  threadLink: '<{thread}>',
  owners: ['owner'],
};

/** `channel`: under another name it is subject to that channel's configuration. */
export function createMemoryChannel(
  changed: Partial<ChannelCapabilities> = {},
  channel = 'memory',
): MemoryChannel {
  const messages: PostedMessage[] = [];
  const threads: PostedThread[] = [];
  const plainThreads = new Set<string>();
  const waiting = new Set<string>();
  const lookedFor: OutboundPart[] = [];
  const byPart = new Map<string, PostedMessage>();
  const faults: { call: Call; code: ErrorCode; isDone: boolean; hint?: string }[] = [];
  let handlers: ChannelHandlers | undefined;
  let ids = 0;

  const newId = (prefix: string) => `${prefix}${++ids}`;
  const threadExists = (id: string) => plainThreads.has(id) || threads.some((thread) => thread.id === id);

  /** Carries out a call, unless a fault was ordered for it. */
  async function carryOut<T>(call: Call, work: () => T): Promise<T> {
    const at = faults.findIndex((fault) => fault.call === call);
    const [fault] = at === -1 ? [] : faults.splice(at, 1);
    if (fault && !fault.isDone)
      throw new AppError(fault.code, `${call} refused`, fault.hint === undefined ? {} : { hint: fault.hint });
    const result = work();
    if (fault) throw new AppError(fault.code, `the answer to ${call} was lost`);
    return result;
  }

  function requireThread({ thread }: Address): void {
    if (thread !== undefined && !threadExists(thread))
      throw new AppError('channel-not-found', `there is no thread ${thread}`);
  }

  function listening(): ChannelHandlers {
    if (!handlers) throw new Error('the channel is not started');
    return handlers;
  }

  function addressOf({ thread, user = 'owner', isDirect, conversation = 'general' }: Saying): Address {
    const account = 'default';
    if (isDirect === true) return { channel, account, chatType: 'direct', conversation: `with-${user}` };
    const at = { channel, account, chatType: 'channel', conversation } as const;
    return thread === undefined ? at : { ...at, thread };
  }

  function loseThread(thread: string): void {
    plainThreads.delete(thread);
    const at = threads.findIndex(({ id }) => id === thread);
    if (at !== -1) threads.splice(at, 1);
  }

  /** What a person has written, with what is answered at once. */
  function written(text: string, saying: Saying, at: number) {
    const { user = 'owner', id = newId('m') } = saying;
    const replies: string[] = [];
    const message: InboundMessage = {
      address: addressOf(saying),
      eventId: id,
      sender: { id: user, name: user, isBot: false },
      text,
      source: 'message',
      isAddressed: false,
      at,
      ...saying.event,
      reply: (reply: CommandReply) => carryOut('reply', () => void replies.push(reply.text)),
    };
    return { message, replies };
  }

  return {
    channel,
    account: 'default',
    capabilities: { ...CAPABILITIES, ...changed },
    start: (given) => {
      handlers = given;
      return Promise.resolve();
    },
    stop: () => {
      handlers = undefined;
      return Promise.resolve();
    },
    send: (part) =>
      carryOut('send', () => {
        requireThread(part.address);
        const known = byPart.get(part.id);
        if (known) return { messageId: known.id };
        const { thread } = part.address;
        const message: PostedMessage = {
          id: newId('b'),
          conversation: part.address.conversation,
          text: part.text,
          ...(thread !== undefined && { thread }),
          ...(part.replyTo !== undefined && { replyTo: part.replyTo }),
          ...(part.file && { file: part.file }),
          ...(part.card && { card: part.card }),
        };
        messages.push(message);
        byPart.set(part.id, message);
        return { messageId: message.id };
      }),
    findSent: (part) => {
      lookedFor.push(part);
      const known = byPart.get(part.id);
      return Promise.resolve(known && { messageId: known.id });
    },
    openThread: ({ messageId }, title) =>
      carryOut('openThread', () => {
        const known = threads.find((thread) => thread.anchor === messageId);
        const thread = known ?? { id: messageId, title, anchor: messageId };
        if (!known) threads.push(thread);
        return { thread: thread.id };
      }),
    edit: (target, part) =>
      carryOut('edit', () => {
        const message = messages.find(({ id }) => id === target.messageId);
        if (!message) throw new AppError('channel-not-found', `there is no message ${target.messageId}`);
        message.text = part.text;
        if (part.card) message.card = part.card;
        else delete message.card;
      }),
    async say(text, saying = {}) {
      const { message, replies } = written(text, saying, 0);
      const receipt = await listening().message(message);
      return { receipt, replies };
    },
    cursors: () => listening().cursors(),
    async miss(...missed) {
      const all = missed.map((saying) => written(saying.text, saying, saying.at));
      await listening().missed(
        all[0]!.message.address,
        all.map(({ message }) => message),
      );
      return all.flatMap(({ replies }) => replies);
    },
    openPlainThread() {
      const id = newId('t');
      plainThreads.add(id);
      return id;
    },
    loseThread,
    async deleteThread(thread) {
      loseThread(thread);
      await listening().threadGone(addressOf({ thread }), 'deleted');
    },
    async deleteConversation() {
      plainThreads.clear();
      threads.splice(0);
      await listening().threadGone(addressOf({}), 'deleted');
    },
    lockThread: (thread) => listening().threadGone(addressOf({ thread }), 'locked'),
    archiveThread: (thread) => listening().threadArchived(addressOf({ thread })),
    setQueued(_address, eventId, isQueued) {
      if (isQueued) waiting.add(eventId);
      else waiting.delete(eventId);
    },
    messages,
    lookedFor,
    threads,
    waiting,
    texts: (thread) => messages.filter((message) => message.thread === thread).map(({ text }) => text),
    refuseNext: (call, code, hint) =>
      void faults.push({ call, code, isDone: false, ...(hint !== undefined && { hint }) }),
    loseAnswerOf: (call) => void faults.push({ call, code: 'channel-unreachable', isDone: true }),
    mayTalk: (text, saying = {}) => listening().mayTalk(written(text, saying, 0).message),
    complete: (text, saying = {}) => listening().complete(written(text, saying, 0).message),
  };
}
