/** Transcripts and their search index: the rows behind ports/store/entries.ts. */
import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { SessionKey } from '../../../src/core/ids.ts';
import { indexedWords, searchTerms } from '../../../src/core/search-text.ts';
import { type Entry, type NewEntry, visibleText } from '../../../src/core/transcript.ts';
import type { SearchHit, StoreReads, StoreTx } from '../../../src/ports/store/index.ts';
import type { Executor } from '../connection.ts';
import { contentJson, provenanceJson, usageJson } from '../json-columns.ts';
import { json, present } from '../optional.ts';
import type { ReadExecutor } from '../read-executor.ts';
import type { EntryTable } from '../schema.ts';
import { jsonList, listed, statement } from '../statement.ts';
import { sessionKey } from './session-rows.ts';

/** SQLite's way of saying that there is no limit. */
const UNLIMITED = -1;

const selectEntries = statement<{ key: string; after: number; limit: number }>()((db, arg) =>
  db
    .selectFrom('entries')
    .selectAll()
    .where('session_key', '=', arg('key'))
    .where('seq', '>', arg('after'))
    .orderBy('seq')
    .limit(arg('limit')),
);

const selectTail = statement<{ key: string; before: number; limit: number }>()((db, arg) =>
  db
    .selectFrom('entries')
    .selectAll()
    .where('session_key', '=', arg('key'))
    .where('seq', '<', arg('before'))
    .orderBy('seq', 'desc')
    .limit(arg('limit')),
);

type Found = Pick<Selectable<EntryTable>, 'session_key' | 'seq' | 'content' | 'at'>;

// The cross join makes SQLite walk the hits of the index newest first and stop at the limit.
const searchAll = statement<{ match: string; limit: number }>()(
  (_db, arg) => sql<Found>`
    select entries.session_key, entries.seq, entries.content, entries.at
    from entries_search cross join entries on entries.id = entries_search.rowid
    where entries_search match ${arg('match')}
    order by entries_search.rowid desc limit ${arg('limit')}`,
);

const searchSessions = statement<{ match: string; keys: string; limit: number }>()(
  (_db, arg) => sql<Found>`
    select entries.session_key, entries.seq, entries.content, entries.at
    from entries_search cross join entries on entries.id = entries_search.rowid
    where entries_search match ${arg('match')} and entries.session_key in ${listed(arg('keys'))}
    order by entries_search.rowid desc limit ${arg('limit')}`,
);

type NewEntryRow = Omit<Insertable<EntryTable>, 'id' | 'seq'>;

const insertEntry = statement<Required<NewEntryRow>>()(
  (_db, arg) => sql<Pick<Selectable<EntryTable>, 'id' | 'seq'>>`
    insert into entries (session_key, seq, role, content, provenance, run_id, usage, at)
    select ${arg('session_key')}, coalesce(max(seq), 0) + 1, ${arg('role')}, ${arg('content')},
      ${arg('provenance')}, ${arg('run_id')}, ${arg('usage')}, ${arg('at')}
    from entries where session_key = ${arg('session_key')}
    returning id, seq`,
);

const insertWords = statement<{ id: number; words: string }>()((db, arg) =>
  db.insertInto('entries_search').values({ rowid: arg('id'), words: arg('words') }),
);

/** What the copied transcript shows is kept for its copy too. */
const copyUses = statement<{ from: string; to: string }>()(
  (_db, arg) => sql`
    insert or ignore into session_files (session_key, file_id)
    select ${arg('to')}, file_id from session_files where session_key = ${arg('from')}`,
);

export function createEntryReads(read: ReadExecutor): StoreReads['entries'] {
  return {
    list: async (key, { afterSeq = 0, limit = UNLIMITED } = {}) =>
      (await read.all(selectEntries, { key, after: afterSeq, limit })).map(toEntry),
    tail: async (key, limit, beforeSeq = Number.MAX_SAFE_INTEGER) =>
      (await read.all(selectTail, { key, before: beforeSeq, limit })).reverse().map(toEntry),
    search: async (query, { sessionKeys, limit }) => {
      const match = matchExpression(query);
      if (match === '') return [];
      const rows = sessionKeys
        ? await read.all(searchSessions, { match, keys: jsonList(sessionKeys), limit })
        : await read.all(searchAll, { match, limit });
      return rows.flatMap(toHit);
    },
  };
}

export function createEntryWrites(executor: Executor): StoreTx['entries'] {
  const reads = createEntryReads(executor);
  const append = async (key: SessionKey, entries: readonly NewEntry[], now: number) => {
    const stored: Entry[] = [];
    for (const entry of entries) stored.push(await appendOne(executor, key, entry, now));
    return stored;
  };
  return {
    ...reads,
    append,
    fork: async (from, to, now) => {
      const copies = (await reads.list(from)).map(({ seq: _seq, at: _at, ...entry }) => ({
        ...entry,
        provenance: { ...entry.provenance, forkedFrom: from },
      }));
      await append(to, copies, now);
      await executor.run(copyUses, { from, to });
      return copies.length;
    },
  };
}

async function appendOne(executor: Executor, key: SessionKey, entry: NewEntry, now: number): Promise<Entry> {
  const row = await executor.first(insertEntry, {
    session_key: key,
    role: entry.content.role,
    content: JSON.stringify(entry.content),
    provenance: JSON.stringify(entry.provenance),
    run_id: entry.runId ?? null,
    usage: json(entry.usage) ?? null,
    at: now,
  });
  const { id, seq } = row!;
  const words = indexedWords(visibleText(entry.content));
  if (words !== '') await executor.run(insertWords, { id, words });
  return { ...entry, seq, at: now };
}

function toEntry(row: Selectable<EntryTable>): Entry {
  return {
    seq: row.seq,
    at: row.at,
    content: contentJson.parse(row.content),
    provenance: provenanceJson.parse(row.provenance),
    ...present({ runId: row.run_id, usage: usageJson.parseOptional(row.usage) ?? null }),
  };
}

function toHit(row: Found): SearchHit[] {
  const content = contentJson.parse(row.content);
  // Tool results are never indexed.
  if (content.role === 'toolResult') return [];
  const { role, text } = content;
  return [{ sessionKey: sessionKey(row.session_key), seq: row.seq, role, text, at: row.at }];
}

/** An FTS5 expression in which everything is quoted: all terms must occur. Tokens are letters and digits alone. */
function matchExpression(query: string): string {
  return searchTerms(query)
    .map(({ tokens, isPrefix }) => `"${tokens.join(' ')}"${isPrefix ? '*' : ''}`)
    .join(' AND ');
}
