/**
 * Too many messages wait for a session: which give way, and what their senders are told. Nothing goes without a word. Pure.
 */
import { neutralise, noticeText } from './prompt-blocks.ts';
import { shorten } from './shorten.ts';

export interface WaitingMessage {
  readonly id: string;
  readonly text: string;
  readonly sender: string;
  /** It already stands for several messages. */
  readonly isCondensed: boolean;
}

export type Overflow =
  | { readonly kind: 'fits' }
  /** The new message is not taken. */
  | { readonly kind: 'refuse-new'; readonly reply: string }
  | { readonly kind: 'remove'; readonly id: string; readonly reply: string }
  /** `into` keeps its place and says what all of them said, in short; the others go. */
  | {
      readonly kind: 'condense';
      readonly into: string;
      readonly text: string;
      readonly remove: readonly string[];
      /** Absent when the people have been told already. */
      readonly reply?: string;
    };

const MAX_EXCERPT_LENGTH = 200;
const CONDENSED = 'Messages that came while you were busy, each cut to one line:';

function excerpt(message: WaitingMessage): string {
  if (message.isCondensed) return message.text.slice(message.text.indexOf('\n') + 1);
  return `> ${message.sender}: ${neutralise(shorten(message.text, MAX_EXCERPT_LENGTH))}`;
}

/** `waiting`: oldest first, without the new one. */
export function makeRoom(
  waiting: readonly WaitingMessage[],
  cap: number,
  drop: 'summarize' | 'old' | 'new',
): Overflow {
  if (waiting.length < cap) return { kind: 'fits' };
  const [oldest, second] = waiting;
  if (drop === 'new' || oldest === undefined) {
    const reply = `${waiting.length} messages are waiting here already, so this one was not taken. Please send it again later.`;
    return { kind: 'refuse-new', reply };
  }
  if (drop === 'old' || second === undefined) {
    const reply = `Too many messages are waiting here. The oldest one was removed: "${shorten(oldest.text, MAX_EXCERPT_LENGTH)}"`;
    return { kind: 'remove', id: oldest.id, reply };
  }
  return {
    kind: 'condense',
    into: oldest.id,
    text: `${noticeText(CONDENSED)}\n${excerpt(oldest)}\n${excerpt(second)}`,
    remove: [second.id],
    ...(!oldest.isCondensed && {
      reply: `More than ${cap} messages are waiting here. The oldest ones are shortened to one line each.`,
    }),
  };
}
