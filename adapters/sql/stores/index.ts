/** All stores over one executor: of the reading connection, or of one transaction. */
import type { StoreReads, StoreTx } from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import type { ReadExecutor } from '../read-executor.ts';
import { createAccountReads, createAccountWrites } from './accounts.ts';
import { createAdmissionReads, createAdmissionWrites } from './admissions.ts';
import { createAnnounceReads, createAnnounceWrites } from './announces.ts';
import { createBindingReads, createBindingWrites } from './bindings.ts';
import { createCursorReads, createCursorWrites } from './cursors.ts';
import { createEntryReads, createEntryWrites } from './entries.ts';
import { createFileReads, createFileWrites } from './files.ts';
import { createInputReads, createInputWrites } from './inputs.ts';
import { createOperationReads, createOperationWrites } from './operations.ts';
import { createPairingReads, createPairingWrites } from './pairings.ts';
import { createRunReads, createRunWrites } from './runs.ts';
import { createSessionReads, createSessionWrites } from './sessions.ts';
import { createStateLogReads, createStateLogWrites } from './state-log.ts';
import { createToolCallReads, createToolCallWrites } from './tool-calls.ts';

export function createStoreReads(read: ReadExecutor): StoreReads {
  return {
    sessions: createSessionReads(read),
    entries: createEntryReads(read),
    files: createFileReads(read),
    inputs: createInputReads(read),
    runs: createRunReads(read),
    toolCalls: createToolCallReads(read),
    bindings: createBindingReads(read),
    operations: createOperationReads(read),
    announces: createAnnounceReads(read),
    stateLog: createStateLogReads(read),
    admissions: createAdmissionReads(read),
    accounts: createAccountReads(read),
    pairings: createPairingReads(read),
    cursors: createCursorReads(read),
  };
}

export function createStoreTx(executor: Executor): StoreTx {
  return {
    sessions: createSessionWrites(executor),
    entries: createEntryWrites(executor),
    files: createFileWrites(executor),
    inputs: createInputWrites(executor),
    runs: createRunWrites(executor),
    toolCalls: createToolCallWrites(executor),
    bindings: createBindingWrites(executor),
    operations: createOperationWrites(executor),
    announces: createAnnounceWrites(executor),
    stateLog: createStateLogWrites(executor),
    admissions: createAdmissionWrites(executor),
    accounts: createAccountWrites(executor),
    pairings: createPairingWrites(executor),
    cursors: createCursorWrites(executor),
  };
}
