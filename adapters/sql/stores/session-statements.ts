/** The statements of the sessions store. */
import { type Selectable, sql } from 'kysely';
import type { SessionTable } from '../schema.ts';
import { patchStatement, statement, valuesOf } from '../statement.ts';
import { NEW_SESSION_COLUMNS, type NewSessionRow } from './session-rows.ts';

export const selectSession = statement<{ key: string }>()((db, arg) =>
  db.selectFrom('sessions').selectAll().where('key', '=', arg('key')),
);

export const selectSessionById = statement<{ id: string }>()((db, arg) =>
  db.selectFrom('sessions').selectAll().where('id', '=', arg('id')),
);

export const selectChildren = statement<{ key: string }>()((db, arg) =>
  db.selectFrom('sessions').selectAll().where('spawned_by', '=', arg('key')).orderBy('ordinal'),
);

// Cross joins, so that SQLite walks the tree and not all sessions.
export const selectDescendants = statement<{ key: string }>()(
  (_db, arg) => sql<Selectable<SessionTable>>`
    with recursive tree (key, level) as (
      select key, 1 from sessions where spawned_by = ${arg('key')}
      union all
      select child.key, tree.level + 1 from tree cross join sessions as child on child.spawned_by = tree.key
    )
    select sessions.* from tree cross join sessions on sessions.key = tree.key
    order by tree.level, sessions.spawned_by, sessions.ordinal`,
);

export const selectLabelled = statement<{ label: string }>()((db, arg) =>
  db.selectFrom('sessions').selectAll().where('label', '=', arg('label')).where('archived_at', 'is', null),
);

export const selectRecent = statement<{ limit: number }>()((db, arg) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('archived_at', 'is', null)
    .orderBy('updated_at', 'desc')
    .limit(arg('limit')),
);

export const selectDueForArchive = statement<{ now: number; limit: number }>()((db, arg) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('archived_at', 'is', null)
    .where('archive_at', '<=', arg('now'))
    .orderBy('archive_at')
    .limit(arg('limit')),
);

export const insertSession = statement<NewSessionRow>()((db, arg) =>
  db.insertInto('sessions').values(valuesOf(arg, NEW_SESSION_COLUMNS)).returningAll(),
);

export const updateSession = patchStatement<{
  sessionKey: string;
  now: number;
  addInput: number;
  addOutput: number;
  addCached: number;
}>()((db, arg, columns) =>
  db
    .updateTable('sessions')
    .set({
      ...columns,
      updated_at: arg('now'),
      input_tokens: sql`input_tokens + ${arg('addInput')}`,
      output_tokens: sql`output_tokens + ${arg('addOutput')}`,
      cached_tokens: sql`cached_tokens + ${arg('addCached')}`,
    })
    .where('key', '=', arg('sessionKey')),
);

export const takeOrdinal = statement<{ key: string }>()((db, arg) =>
  db
    .updateTable('sessions')
    .set({ last_child_ordinal: sql`last_child_ordinal + 1` })
    .where('key', '=', arg('key'))
    .returning('last_child_ordinal'),
);

/** In this order; the search index first, while its entries can still be looked up. */
export const removals = [
  statement<{ key: string }>()(
    (_db, arg) => sql`
      delete from entries_search where rowid in (select id from entries where session_key = ${arg('key')})`,
  ),
  statement<{ key: string }>()((db, arg) => db.deleteFrom('entries').where('session_key', '=', arg('key'))),
  statement<{ key: string }>()((db, arg) =>
    db
      .deleteFrom('tool_calls')
      .where('run_id', 'in', (runs) =>
        runs.selectFrom('runs').select('id').where('session_key', '=', arg('key')),
      ),
  ),
  statement<{ key: string }>()((db, arg) => db.deleteFrom('inputs').where('session_key', '=', arg('key'))),
  statement<{ key: string }>()((db, arg) => db.deleteFrom('runs').where('session_key', '=', arg('key'))),
  statement<{ key: string }>()((db, arg) =>
    db.deleteFrom('state_events').where('session_key', '=', arg('key')),
  ),
  statement<{ key: string }>()((db, arg) => db.deleteFrom('watch_cursors').where('target', '=', arg('key'))),
  statement<{ key: string }>()((db, arg) => db.deleteFrom('watch_cursors').where('watcher', '=', arg('key'))),
  statement<{ key: string }>()(
    (_db, arg) => sql`
      delete from files where id in (select file_id from session_files where session_key = ${arg('key')})
        and not exists (
          select 1 from session_files as other where other.file_id = files.id and other.session_key <> ${arg('key')}
        )`,
  ),
  statement<{ key: string }>()((db, arg) =>
    db.deleteFrom('session_files').where('session_key', '=', arg('key')),
  ),
  statement<{ key: string }>()((db, arg) => db.deleteFrom('sessions').where('key', '=', arg('key'))),
] as const;
