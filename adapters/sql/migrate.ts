/**
 * Brings a database to the newest schema. Migrations are the numbered files of `migrations/`, in order of their names; each
 * runs in a transaction of its own together with its mark, so a crash in between repeats none and skips none. They are never
 * changed once released. `user_version` is the number of the last one and tells an older program that it must not touch the
 * file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type Database from 'better-sqlite3';

export interface Migration {
  readonly number: number;
  /** The file's name without its ending. */
  readonly name: string;
  readonly sql: string;
}

/** `Skei` in ASCII: tells our files from other programs' databases. */
export const APPLICATION_ID = 0x53_6b_65_69;

const FOLDER = new URL('./migrations/', import.meta.url);
const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;

/** In order. */
export function readMigrations(): readonly Migration[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((file) => {
      const match = FILE_NAME.exec(file);
      if (!match) return [];
      const sql = readFileSync(new URL(file, FOLDER), 'utf8');
      return [{ number: Number(match[1]), name: file.replace(/\.sql$/, ''), sql }];
    });
}

/** Applies what is missing and returns the names of what it applied. */
export function migrate(
  database: Database.Database,
  migrations: readonly Migration[],
  now: number,
): readonly string[] {
  const missing = () => {
    const done = appliedNames(database);
    return migrations.filter((migration) => !done.has(migration.name));
  };
  if (missing().length === 0) return [];
  const applied: string[] = [];
  for (const migration of migrations) {
    const apply = database.transaction(() => {
      // Looked up again under the lock: another process may have applied it meanwhile.
      if (appliedNames(database).has(migration.name)) return;
      database.exec(
        'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL) STRICT',
      );
      database.exec(migration.sql);
      database
        .prepare('INSERT INTO schema_migrations (name, applied_at) VALUES (?, ?)')
        .run(migration.name, now);
      database.pragma(`application_id = ${APPLICATION_ID}`);
      database.pragma(`user_version = ${migration.number}`);
      applied.push(migration.name);
    });
    apply.immediate();
  }
  return applied;
}

function appliedNames(database: Database.Database): ReadonlySet<string> {
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'").get();
  if (!table) return new Set();
  const names = database.prepare<[], string>('SELECT name FROM schema_migrations').pluck().all();
  return new Set(names);
}
