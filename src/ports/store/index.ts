/**
 * The store: the only truth. Everything that must outlive a crash is a row here.
 *
 * Contract:
 * - `read` sees committed data only, through a connection of its own, and never waits for a transaction.
 * - `transaction` runs `fn` alone (write transactions are serialised, across processes too), commits when its promise
 *   resolves and rolls back when it rejects. `fn` awaits nothing but the stores it is given: no I/O, no timers, no outer
 *   handle. It may be run again from the start when the database was busy, so what it does outside of `tx` must be
 *   harmless to repeat.
 * - Writing is possible through `tx` alone, so nothing can write outside of a transaction. Beginning a transaction inside
 *   a transaction throws at once.
 * - Failures are AppErrors: `store-busy` (try again), `store-full` (the disk; nothing was written) and `store-failed` (with the
 *   cause).
 */
import type { AccountReads, AccountWrites } from './accounts.ts';
import type { AdmissionReads, AdmissionWrites } from './admissions.ts';
import type { AnnounceReads, AnnounceWrites } from './announces.ts';
import type { BindingReads, BindingWrites } from './bindings.ts';
import type { CursorReads, CursorWrites } from './cursors.ts';
import type { EntryReads, EntryWrites } from './entries.ts';
import type { FileReads, FileWrites } from './files.ts';
import type { OperationReads, OperationWrites } from './operations.ts';
import type { PairingReads, PairingWrites } from './pairings.ts';
import type { InputReads, InputWrites, RunReads, RunWrites, ToolCallReads, ToolCallWrites } from './runs.ts';
import type { SessionReads, SessionWrites } from './sessions.ts';
import type { StateLogReads, StateLogWrites } from './state-log.ts';

export interface StoreReads {
  readonly sessions: SessionReads;
  readonly entries: EntryReads;
  readonly files: FileReads;
  readonly inputs: InputReads;
  readonly runs: RunReads;
  readonly toolCalls: ToolCallReads;
  readonly bindings: BindingReads;
  readonly operations: OperationReads;
  readonly announces: AnnounceReads;
  readonly stateLog: StateLogReads;
  readonly admissions: AdmissionReads;
  readonly accounts: AccountReads;
  readonly pairings: PairingReads;
  readonly cursors: CursorReads;
}

export interface StoreTx {
  readonly sessions: SessionWrites;
  readonly entries: EntryWrites;
  readonly files: FileWrites;
  readonly inputs: InputWrites;
  readonly runs: RunWrites;
  readonly toolCalls: ToolCallWrites;
  readonly bindings: BindingWrites;
  readonly operations: OperationWrites;
  readonly announces: AnnounceWrites;
  readonly stateLog: StateLogWrites;
  readonly admissions: AdmissionWrites;
  readonly accounts: AccountWrites;
  readonly pairings: PairingWrites;
  readonly cursors: CursorWrites;
}

export interface Store {
  readonly read: StoreReads;
  transaction<T>(fn: (tx: StoreTx) => Promise<T>): Promise<T>;
  /** Differs from its last value when another process has committed something since; cheap enough to ask often. */
  externalVersion(): number;
  close(): Promise<void>;
}

export type { Drop, DropReason } from './admissions.ts';
export type { Announce, AnnounceStatus, NewAnnounce } from './announces.ts';
export type { SearchHit } from './entries.ts';
export type { StoredFile } from './files.ts';
export type {
  Fault,
  NewOperation,
  Operation,
  OperationCall,
  OperationPurpose,
  OperationReceipt,
  OperationStatus,
} from './operations.ts';
export type { Pairing } from './pairings.ts';
export type { Input, NewInput, NewRun, Run, RunPatch, ToolCallRow } from './runs.ts';
export type { Cleanup, NewSession, Session, SessionKind, SessionPatch, SessionRole } from './sessions.ts';
export type { NewStateEvent, StateEvent, StateEventKind } from './state-log.ts';
