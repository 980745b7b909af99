/**
 * The schema as it is reviewed: the dump beside the migrations, and the plan of every statement. After a new migration:
 * `npx vitest run --project contract test/contract/store-schema.test.ts -u` writes the dump anew.
 */
import type Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { migrate, readMigrations } from '../../adapters/sql/migrate.ts';
import { migratedDatabase, recordStatements } from '../support/sql-recorder.ts';

function dump(database: Database.Database): string {
  const statements = database
    .prepare<[], string>(
      `SELECT sql FROM sqlite_schema
       WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'entries\\_search\\_%' ESCAPE '\\'
       ORDER BY tbl_name, type DESC, name`,
    )
    .pluck()
    .all();
  const version = database.pragma('user_version', { simple: true });
  return `-- What the migrations make; written by test/contract/store-schema.test.ts.\n\n${statements.join(';\n\n')};\n\nPRAGMA user_version = ${version};\n`;
}

it('a new database has the schema of the dump', async () => {
  const database = migratedDatabase();
  await expect(dump(database)).toMatchFileSnapshot('../../adapters/sql/schema.sql');
  database.close();
});

it('migrations are numbered without gaps and apply once', () => {
  const migrations = readMigrations();
  expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, i) => i + 1));
  const database = migratedDatabase();
  expect(migrate(database, migrations, 2_000)).toEqual([]);
  database.close();
});

it('a migration that fails leaves the database at the one before it', () => {
  const database = migratedDatabase();
  const before = dump(database);
  const broken = { number: 9_000, name: '9000-broken', sql: 'CREATE TABLE half (a); CREATE TABLE half (a);' };
  expect(() => migrate(database, [...readMigrations(), broken], 2_000)).toThrow(/half/);
  expect(dump(database)).toBe(before);
  database.close();
});

/** Read whole on purpose: from one end up to a limit by their number, or a short list of names. */
const READ_FROM_ONE_END = /from "(drops|chat_events|chat_conversations)"/;
/** Walking a table, but not an index that holds only what is asked for, a list of arguments or the search index. */
const TABLE_SCAN =
  /^SCAN (?!CONSTANT ROW|json_each|tree|entries_search\b)(?!.*USING (COVERING )?INDEX \w*(running|active|claimed|queued|failed|unadmitted|recent)\w*)/;

it('no statement walks through a table', async () => {
  const database = migratedDatabase();
  const statements = await recordStatements(database);
  expect(statements.size).toBeGreaterThan(80);
  const scans = [...statements]
    .filter((sql) => !READ_FROM_ONE_END.test(sql))
    .flatMap((sql) => {
      const explain = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
      const plan = explain.all(...(sql.match(/\?/g) ?? []).map(() => null));
      return plan.filter(({ detail }) => TABLE_SCAN.test(detail)).map(({ detail }) => `${detail} | ${sql}`);
    });
  expect(scans).toEqual([]);
  database.close();
});
