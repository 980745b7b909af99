import type { Address } from '../../core/address.ts';

export type DropReason =
  | 'sender-is-bot'
  | 'empty-text'
  | 'not-addressed'
  | 'sender-not-allowed'
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
}
