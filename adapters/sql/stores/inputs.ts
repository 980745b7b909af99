/** The inbox of sessions: the rows behind `InputReads` and `InputWrites` of ports/store/runs.ts. */
import { type Insertable, type Selectable, sql } from 'kysely';
import { inputId, runId } from '../../../src/core/ids.ts';
import type { Input, NewInput, StoreReads, StoreTx } from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import { picturesJson, provenanceJson } from '../json-columns.ts';
import { json, present } from '../optional.ts';
import type { ReadExecutor } from '../read-executor.ts';
import type { InputTable } from '../schema.ts';
import { jsonList, listed, statement, valuesOf } from '../statement.ts';
import { sessionKey } from './session-rows.ts';

const selectPending = statement<{ run: string }>()((db, arg) =>
  db
    .selectFrom('inputs')
    .selectAll()
    .where('run_id', '=', arg('run'))
    .where('consumed_at', 'is', null)
    .orderBy('seq'),
);

const selectUnassigned = statement<{ key: string }>()((db, arg) =>
  db
    .selectFrom('inputs')
    .selectAll()
    .where('session_key', '=', arg('key'))
    .where('consumed_at', 'is', null)
    .where('run_id', 'is', null)
    .orderBy('seq'),
);

const selectOfRun = statement<{ run: string }>()((db, arg) =>
  db.selectFrom('inputs').selectAll().where('run_id', '=', arg('run')).orderBy('seq'),
);

/** Written as the index has it: those that wait, and those that were read in the order of their reading. */
const hasSender = sql<boolean>`json_extract(provenance, '$.sender') IS NOT NULL`;

const selectWaitingSenders = statement<{ key: string; limit: number }>()((db, arg) =>
  db
    .selectFrom('inputs')
    .select('provenance')
    .where('session_key', '=', arg('key'))
    .where('consumed_at', 'is', null)
    .where(hasSender)
    .orderBy('seq', 'desc')
    .limit(arg('limit')),
);

const selectReadSenders = statement<{ key: string; limit: number }>()((db, arg) =>
  db
    .selectFrom('inputs')
    .select('provenance')
    .where('session_key', '=', arg('key'))
    .where('consumed_at', '>', 0)
    .where(hasSender)
    .orderBy('consumed_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(arg('limit')),
);

const NEW_COLUMNS = ['id', 'session_key', 'run_id', 'text', 'provenance', 'created_at', 'images'] as const;
type NewInputRow = Pick<Insertable<InputTable>, (typeof NEW_COLUMNS)[number]>;

const insertInput = statement<Required<NewInputRow>>()((db, arg) =>
  db
    .insertInto('inputs')
    .values(valuesOf(arg, NEW_COLUMNS))
    .onConflict((conflict) => conflict.column('id').doNothing()),
);

const assignInputs = statement<{ ids: string; run: string }>()((db, arg) =>
  db
    .updateTable('inputs')
    .set({ run_id: arg('run') })
    .where('id', 'in', listed(arg('ids')))
    .where('consumed_at', 'is', null),
);

const consumeInputs = statement<{ ids: string; now: number }>()((db, arg) =>
  db
    .updateTable('inputs')
    .set({ consumed_at: arg('now') })
    .where('id', 'in', listed(arg('ids')))
    .where('consumed_at', 'is', null),
);

const removeInputs = statement<{ ids: string }>()((db, arg) =>
  db
    .deleteFrom('inputs')
    .where('id', 'in', listed(arg('ids')))
    .where('consumed_at', 'is', null),
);

const rewriteInput = statement<{ id: string; text: string; provenance: string }>()((db, arg) =>
  db
    .updateTable('inputs')
    .set({ text: arg('text'), provenance: arg('provenance') })
    .where('id', '=', arg('id'))
    .where('consumed_at', 'is', null),
);

export function createInputReads(read: ReadExecutor): StoreReads['inputs'] {
  return {
    pending: async (run) => (await read.all(selectPending, { run })).map(toInput),
    unassigned: async (key) => (await read.all(selectUnassigned, { key })).map(toInput),
    ofRun: async (run) => (await read.all(selectOfRun, { run })).map(toInput),
    latestSenders: async (key, limit) => {
      const waiting = await read.all(selectWaitingSenders, { key, limit });
      const left = limit - waiting.length;
      const taken = left > 0 ? await read.all(selectReadSenders, { key, limit: left }) : [];
      return [...waiting, ...taken].flatMap((row) => provenanceJson.parse(row.provenance).sender ?? []);
    },
  };
}

export function createInputWrites(executor: Executor): StoreTx['inputs'] {
  return {
    ...createInputReads(executor),
    insert: async (input, now) => (await executor.run(insertInput, fromNewInput(input, now))) === 1,
    assign: async (ids, run) => {
      await executor.run(assignInputs, { ids: jsonList(ids), run });
    },
    consume: async (ids, now) => {
      await executor.run(consumeInputs, { ids: jsonList(ids), now });
    },
    remove: (ids) => executor.run(removeInputs, { ids: jsonList(ids) }),
    rewrite: async (id, text, provenance) => {
      await executor.run(rewriteInput, { id, text, provenance: JSON.stringify(provenance) });
    },
  };
}

function toInput(row: Selectable<InputTable>): Input {
  return {
    id: inputId(row.id),
    seq: row.seq,
    sessionKey: sessionKey(row.session_key),
    text: row.text,
    provenance: provenanceJson.parse(row.provenance),
    createdAt: row.created_at,
    ...present({
      runId: row.run_id === null ? null : runId(row.run_id),
      consumedAt: row.consumed_at,
      images: picturesJson.parseOptional(row.images) ?? null,
    }),
  };
}

function fromNewInput(input: NewInput, now: number): Required<NewInputRow> {
  return {
    id: input.id,
    session_key: input.sessionKey,
    run_id: input.runId ?? null,
    text: input.text,
    provenance: JSON.stringify(input.provenance),
    created_at: now,
    images: json(input.images) ?? null,
  };
}
