import type { Address } from '../../core/address.ts';
import type { RunCard } from '../../core/card.ts';
import type { OperationId, RunId, SessionKey } from '../../core/ids.ts';
import type { OutboundFile } from '../channel.ts';

/** A durable platform call. `after` and `target` name operations whose receipt is needed. */
export type OperationCall =
  | {
      readonly kind: 'send';
      readonly text: string;
      readonly card?: RunCard;
      readonly replyTo?: string;
      readonly file?: OutboundFile;
    }
  /** Opens a thread from the message that `anchor` sent, or from one that somebody else wrote. */
  | {
      readonly kind: 'open-thread';
      readonly anchor: OperationId | { readonly messageId: string };
      readonly title: string;
    }
  /** Replaces the message that `target` sent. */
  | { readonly kind: 'edit'; readonly target: OperationId; readonly text: string; readonly card?: RunCard };

/** What is settled together with the call. */
export type OperationPurpose =
  | { readonly kind: 'notice' }
  /** The final reply of a run; `announces` are the completions that it reports. */
  | { readonly kind: 'reply'; readonly runId: RunId; readonly announces: readonly RunId[] }
  /** A subagent's result said by the runtime itself. */
  | { readonly kind: 'announce'; readonly announces: readonly RunId[] }
  | { readonly kind: 'card'; readonly runId: RunId }
  /** The thread of a spawned subagent: success binds it and queues the run, failure undoes the spawn. */
  | { readonly kind: 'spawn-thread'; readonly runId: RunId }
  /** The thread that a message is answered in: failure answers it where it was written. */
  | { readonly kind: 'reply-thread'; readonly runId: RunId }
  /** A thread opened by `/focus`: success binds it to the session. */
  | {
      readonly kind: 'focus-thread';
      readonly sessionKey: SessionKey;
      readonly boundBy: import('../../core/message.ts').Actor;
    };

/** Why a call failed. `hint` is for people. */
export interface Fault {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

export interface OperationReceipt {
  readonly messageId?: string;
  readonly thread?: string;
}

export type OperationStatus = 'queued' | 'claimed' | 'done' | 'failed';

export interface Operation {
  readonly id: OperationId;
  /** Order of making; calls to one place are carried out in this order. */
  readonly seq: number;
  readonly address: Address;
  readonly call: OperationCall;
  readonly purpose: OperationPurpose;
  readonly status: OperationStatus;
  /** How often it was begun. More than 1 means that an earlier attempt may have had its effect. */
  readonly attempt: number;
  readonly fence: number;
  readonly owner?: string;
  readonly notBefore?: number;
  readonly receipt?: OperationReceipt;
  readonly error?: Fault;
  readonly createdAt: number;
  readonly endedAt?: number;
}

export type NewOperation = Pick<Operation, 'id' | 'address' | 'call' | 'purpose'>;

export interface OperationReads {
  get(id: OperationId): Promise<Operation | undefined>;
  /** Failed operations, newest first. */
  failed(limit: number): Promise<readonly Operation[]>;
  /** Whether anything of that account could be claimed at `now`. */
  hasDue(channel: string, account: string, now: number): Promise<boolean>;
  counts(): Promise<{ readonly queued: number; readonly failed: number }>;
  /** Distinct owners of claimed operations. */
  owners(): Promise<readonly string[]>;
}

export interface OperationWrites extends OperationReads {
  /** In order; one with a known id is left as it is. */
  insert(operations: readonly NewOperation[], now: number): Promise<void>;
  /**
   * Claims up to `limit` due operations of the account, at most one for each place, and none whose place has an older one
   * unfinished or whose anchor or target is not done yet. One whose anchor or target has failed (or does not exist) is
   * claimed all the same, so that whoever carries it out can fail it too. In order of `seq`. Attempt and fence grow by one.
   */
  claim(claim: {
    channel: string;
    account: string;
    owner: string;
    now: number;
    limit: number;
  }): Promise<readonly Operation[]>;
  /** Compare-and-set on `fence`. */
  finish(id: OperationId, fence: number, receipt: OperationReceipt, now: number): Promise<boolean>;
  fail(id: OperationId, fence: number, error: Fault, now: number): Promise<boolean>;
  /** Back to queued, to be begun again at `notBefore`. */
  retry(id: OperationId, fence: number, error: Fault, notBefore: number): Promise<boolean>;
  /** Back to queued: operations claimed by these owners, all of whom are dead. Returns how many. */
  release(deadOwners: readonly string[]): Promise<number>;
}
