/** Everybody who writes: each conversation says its messages one after the other, as fast as the killer keeps pace. */
import { setTimeout as pause } from 'node:timers/promises';
import type { PlannedConversation, PlannedMessage } from './plan.ts';
import type { Random } from './random.ts';
import { pressResume } from './resume.ts';
import type { WebChat } from './web-chat.ts';

const MAX_PAUSE_MS = 400;
const LOOK_MS = 300;
const THREAD_PATIENCE_MS = 180_000;

/** A message whose acceptance was confirmed. */
export interface Accepted {
  readonly id: string;
  readonly conversation: string;
  /** Label of the subagent in whose thread it was said; absent in the channel. */
  readonly thread?: string;
}

export interface PeopleOptions {
  readonly conversations: readonly PlannedConversation[];
  readonly chat: WebChat;
  readonly random: Random;
  /** Resolves when the killer has done that share (0 to 1) of its work. */
  readonly until: (share: number) => Promise<void>;
  /** In order of acceptance for each place. */
  readonly onAccepted: (message: Accepted) => void;
  readonly onFinding: (finding: string) => void;
}

export async function letPeopleTalk(options: PeopleOptions): Promise<void> {
  await Promise.all(options.conversations.map((conversation) => talk(conversation, options)));
}

async function talk(conversation: PlannedConversation, options: PeopleOptions): Promise<void> {
  const { chat, until, onAccepted } = options;
  const { name, queueMode, messages } = conversation;
  const random = options.random.branch(name);
  if (queueMode !== undefined) {
    await chat.post({ id: `q-${name}`, conversation: name, text: `/queue ${queueMode}` });
  }
  const sideTalks: Promise<void>[] = [];
  for (const [i, message] of messages.entries()) {
    await until((i + random.next()) / (messages.length + 1));
    await pause(random.below(MAX_PAUSE_MS));
    await chat.post({ id: message.id, conversation: name, text: message.text });
    onAccepted({ id: message.id, conversation: name });
    if (message.followUps.length > 0) sideTalks.push(talkInThread(name, message, options));
  }
  await Promise.all(sideTalks);
}

async function talkInThread(
  conversation: string,
  about: PlannedMessage,
  options: PeopleOptions,
): Promise<void> {
  const { chat, onAccepted, onFinding } = options;
  const label = about.children[0]!;
  const thread = await threadOf(chat, conversation, label);
  if (thread === undefined) return onFinding(`${label}: there is no thread of its own`);
  for (const { id, text } of about.followUps) {
    await chat.post({ id, conversation, thread, text });
    onAccepted({ id, conversation, thread: label });
  }
}

async function threadOf(chat: WebChat, conversation: string, label: string): Promise<string | undefined> {
  const giveUpAt = performance.now() + THREAD_PATIENCE_MS;
  for (;;) {
    const threads = await chat.threads(conversation);
    const thread = threads.find(({ title, boundTo }) => title === label && boundTo !== undefined);
    if (thread || performance.now() > giveUpAt) return thread?.id;
    // Whoever waits for something that was given up sees the button, and presses it.
    await pressResume(chat, conversation);
    await pause(LOOK_MS);
  }
}
