import type { Address } from '../../core/address.ts';

/** A stranger who wrote to the bot directly, and what an owner has decided about them. */
export interface Pairing {
  readonly channel: string;
  readonly account: string;
  /** The platform's user id. */
  readonly peer: string;
  readonly name: string;
  /** Where they wrote, so that they can be told. */
  readonly address: Address;
  /** What the owner types to decide; unique among the pending ones. */
  readonly code: string;
  readonly status: 'pending' | 'approved' | 'denied';
  readonly requestedAt: number;
  /** A pending one is void from then on. */
  readonly expiresAt: number;
  readonly decidedAt?: number;
  /** Who decided, as `<channel>:<id>`, or `api` (the command line too). */
  readonly decidedBy?: string;
}

export interface PairingReads {
  of(channel: string, account: string, peer: string): Promise<Pairing | undefined>;
  /** Pending ones that are not void at `now`, oldest first. */
  pending(now: number): Promise<readonly Pairing[]>;
  /** The pending one with that code, unless it is void at `now`. */
  withCode(code: string, now: number): Promise<Pairing | undefined>;
}

export interface PairingWrites extends PairingReads {
  /** Takes the place of an earlier one of the same person. */
  put(pairing: Pairing): Promise<void>;
  /** Compare-and-set: false if it is not pending any more. */
  decide(
    of: Pick<Pairing, 'channel' | 'account' | 'peer'>,
    status: 'approved' | 'denied',
    decidedBy: string,
    now: number,
  ): Promise<boolean>;
  /** Removes the pending ones that are void at `now`. */
  removeVoid(now: number): Promise<void>;
}
