import type { Address } from '../../core/address.ts';
import type { HeldMessage } from '../../core/held-message.ts';
import type { Cursor } from '../channel.ts';

/** A message that was missed and waits for somebody to say whether it is to be answered. */
export interface MissedMessage {
  readonly message: HeldMessage;
  /** Rises with every message that is put down. */
  readonly seq: number;
}

export interface CursorReads {
  /** The place's cursor, if it has one. */
  get(address: Address): Promise<Cursor | undefined>;
  /** Places of the account with activity since `since`, most recently active first. */
  active(channel: string, account: string, since: number, limit: number): Promise<readonly Cursor[]>;
  /** Those that wait in that place, oldest first. */
  missed(address: Address): Promise<readonly MissedMessage[]>;
  /** Up to `limit` places where messages wait, all of them put down before `before`. */
  undecided(before: number, limit: number): Promise<readonly Address[]>;
}

export interface CursorWrites extends CursorReads {
  /**
   * The newest message dealt with there. `isActive`: the bot has something to do in that place, so that it is looked after
   * from now on; otherwise only a cursor that is there moves. It never moves back: event ids grow, first in length and then
   * as text, on every platform that is asked for missed messages.
   */
  advance(address: Address, eventId: string, isActive: boolean, now: number): Promise<void>;
  /** One that is there already is left as it is. */
  putMissed(messages: readonly HeldMessage[], now: number): Promise<void>;
  /** Removes those up to and including `seq` in that place. */
  removeMissed(address: Address, upToSeq: number): Promise<void>;
  /** Removes all that is kept of that place; of a conversation, of its threads too. */
  removePlace(address: Address): Promise<void>;
  /** Removes up to `limit` cursors of places without activity since `before`. Returns how many. */
  forget(before: number, limit: number): Promise<number>;
}
