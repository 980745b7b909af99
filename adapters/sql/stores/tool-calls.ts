/** Tool calls of runs: the rows behind `ToolCallReads` and `ToolCallWrites` of ports/store/runs.ts. */
import type { Insertable, Selectable } from 'kysely';
import { runId, toolCallKey } from '../../../src/core/ids.ts';
import type { StoreReads, StoreTx, ToolCallRow } from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import { wordOf } from '../literals.ts';
import type { ReadExecutor } from '../read-executor.ts';
import type { ToolCallTable } from '../schema.ts';
import { statement, valuesOf } from '../statement.ts';
import { sessionKey } from './session-rows.ts';

const statusOf = wordOf<ToolCallRow['status']>({ pending: true, started: true, done: true });

const selectUnfinished = statement<{ run: string }>()((db, arg) =>
  db
    .selectFrom('tool_calls')
    .selectAll()
    .where('run_id', '=', arg('run'))
    .where('status', '<>', 'done')
    .orderBy('step')
    .orderBy('call_index'),
);

const COLUMNS = [
  'key',
  'run_id',
  'session_key',
  'step',
  'call_index',
  'call_id',
  'name',
  'arguments',
  'status',
] as const;
type Row = Pick<Insertable<ToolCallTable>, (typeof COLUMNS)[number]>;

const insertCall = statement<Row>()((db, arg) => db.insertInto('tool_calls').values(valuesOf(arg, COLUMNS)));

const updateStatus = statement<{ key: string; status: string }>()((db, arg) =>
  db
    .updateTable('tool_calls')
    .set({ status: arg('status') })
    .where('key', '=', arg('key')),
);

export function createToolCallReads(read: ReadExecutor): StoreReads['toolCalls'] {
  return {
    unfinished: async (run) => (await read.all(selectUnfinished, { run })).map(toToolCall),
  };
}

export function createToolCallWrites(executor: Executor): StoreTx['toolCalls'] {
  return {
    ...createToolCallReads(executor),
    insert: async (calls) => {
      for (const call of calls) await executor.run(insertCall, fromToolCall(call));
    },
    setStatus: async (key, status) => {
      await executor.run(updateStatus, { key, status });
    },
  };
}

function toToolCall(row: Selectable<ToolCallTable>): ToolCallRow {
  const run = runId(row.run_id);
  return {
    key: toolCallKey(run, row.step, row.call_index),
    runId: run,
    sessionKey: sessionKey(row.session_key),
    step: row.step,
    index: row.call_index,
    callId: row.call_id,
    name: row.name,
    arguments: JSON.parse(row.arguments) as unknown,
    status: statusOf(row.status),
  };
}

function fromToolCall(call: ToolCallRow): Row {
  return {
    key: call.key,
    run_id: call.runId,
    session_key: call.sessionKey,
    step: call.step,
    call_index: call.index,
    call_id: call.callId,
    name: call.name,
    arguments: JSON.stringify(call.arguments ?? null),
    status: call.status,
  };
}
