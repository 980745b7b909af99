/** The state log and who watches it: the rows behind ports/store/state-log.ts. */
import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import { runId } from '../../../src/core/ids.ts';
import type { StateEvent, StateEventKind, StoreReads, StoreTx } from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import { stateJson } from '../json-columns.ts';
import { wordOf } from '../literals.ts';
import { present } from '../optional.ts';
import type { ReadExecutor } from '../read-executor.ts';
import type { StateEventTable } from '../schema.ts';
import { statement, valuesOf } from '../statement.ts';
import { sessionKey } from './session-rows.ts';

const kindOf = wordOf<StateEventKind>({
  human_direct_message: true,
  goal_changed: true,
  created: true,
  child_spawned: true,
  run_completed: true,
  run_failed: true,
  compacted: true,
});
const actorOf = wordOf<StateEvent['actorType']>({ human: true, agent: true, system: true });

const selectAfter = statement<{ key: string; sequence: number; limit: number }>()((db, arg) =>
  db
    .selectFrom('state_events')
    .selectAll()
    .where('session_key', '=', arg('key'))
    .where('sequence', '>', arg('sequence'))
    .orderBy('sequence')
    .limit(arg('limit')),
);

const selectWatchers = statement<{ target: string }>()((db, arg) =>
  db.selectFrom('watch_cursors').select('watcher').where('target', '=', arg('target')).orderBy('watcher'),
);

const COLUMNS = [
  'session_key',
  'kind',
  'actor_type',
  'actor_id',
  'run_id',
  'summary',
  'payload',
  'at',
] as const;
type Row = Required<Pick<Insertable<StateEventTable>, (typeof COLUMNS)[number]>>;

const insertEvent = statement<Row>()((db, arg) =>
  db.insertInto('state_events').values(valuesOf(arg, COLUMNS)).returningAll(),
);

const raiseVersion = statement<{ key: string; sequence: number }>()((db, arg) =>
  db
    .updateTable('sessions')
    .set({ state_version: arg('sequence') })
    .where('key', '=', arg('key')),
);

const insertCursor = statement<{ watcher: string; target: string; now: number }>()(
  (_db, arg) => sql`
    insert into watch_cursors (target, watcher, seen_sequence, created_at)
    values (
      ${arg('target')}, ${arg('watcher')},
      coalesce((select state_version from sessions where key = ${arg('target')}), 0), ${arg('now')}
    )
    on conflict (target, watcher) do nothing`,
);

export function createStateLogReads(read: ReadExecutor): StoreReads['stateLog'] {
  return {
    after: async (key, sequence, limit) =>
      (await read.all(selectAfter, { key, sequence, limit })).map(toStateEvent),
    watchers: async (target) =>
      (await read.all(selectWatchers, { target })).map(({ watcher }) => sessionKey(watcher)),
  };
}

export function createStateLogWrites(executor: Executor): StoreTx['stateLog'] {
  return {
    ...createStateLogReads(executor),
    append: async (event, now) => {
      const row = await executor.first(insertEvent, {
        session_key: event.sessionKey,
        kind: event.kind,
        actor_type: event.actorType,
        actor_id: event.actorId,
        run_id: event.runId ?? null,
        summary: event.summary,
        payload: JSON.stringify(event.payload),
        at: now,
      });
      const stored = toStateEvent(row!);
      await executor.run(raiseVersion, { key: event.sessionKey, sequence: stored.sequence });
      return stored;
    },
    watch: async (watcher, target, now) => {
      await executor.run(insertCursor, { watcher, target, now });
    },
  };
}

function toStateEvent(row: Selectable<StateEventTable>): StateEvent {
  return {
    sequence: row.sequence,
    sessionKey: sessionKey(row.session_key),
    kind: kindOf(row.kind),
    actorType: actorOf(row.actor_type),
    actorId: row.actor_id,
    summary: row.summary,
    payload: stateJson.parse(row.payload),
    at: row.at,
    ...present({ runId: row.run_id === null ? null : runId(row.run_id) }),
  };
}
