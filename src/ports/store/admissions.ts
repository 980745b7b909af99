import type { Address } from '../../core/address.ts';

export type DropReason =
  | 'sender-is-bot'
  | 'empty-text'
  | 'not-addressed'
  | 'sender-not-allowed'
  /** Direct messages, or servers, are switched off. */
  | 'direct-disabled'
  | 'groups-disabled'
  /** The server or channel is not on the list of those that are served. */
  | 'place-not-allowed'
  /** A stranger's direct message: a code was given, or had been given before. */
  | 'pairing-needed'
  /** A stranger's direct message, while as many others wait as may. */
  | 'pairing-full'
  | 'pairing-denied'
  /** Bots have talked among themselves for long enough. */
  | 'bots-only'
  | 'command-not-allowed'
  | 'not-for-presser'
  /** Missed while nobody listened, and left unanswered as the configuration or somebody says. */
  | 'missed'
  | 'text-too-long'
  | 'queue-full';

export interface Drop {
  readonly address: Address;
  readonly eventId: string;
  readonly senderId: string;
  readonly reason: DropReason;
  readonly at: number;
}

export interface AdmissionReads {
  /** What was stored for that event, if it was handled before. */
  result(channel: string, account: string, eventId: string): Promise<unknown>;
  /** Newest first. */
  drops(limit: number): Promise<readonly Drop[]>;
}

export interface AdmissionWrites extends AdmissionReads {
  /** Marks the event as handled, with the JSON that a repetition answers. Returns false if it was before. */
  record(
    event: { channel: string; account: string; eventId: string; result: unknown },
    now: number,
  ): Promise<boolean>;
  drop(drop: Drop): Promise<void>;
  /** Removes up to `limit` events and drops each that are older than `before`. Returns how many of the more numerous kind. */
  forget(before: number, limit: number): Promise<number>;
}
