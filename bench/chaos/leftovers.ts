/** Work that is not over yet, read from the database beside the processes that own it. */
import { join } from 'node:path';
import Database from 'better-sqlite3';

const UNFINISHED: Readonly<Record<string, string>> = {
  'active runs': `select id || ' ' || status || ' of ' || session_key as what from runs
    where status in ('queued', 'running', 'waiting')`,
  'platform calls': `select id || ' ' || status as what from operations where status in ('queued', 'claimed')`,
  announcements: `select run_id || ' ' || status as what from announces where status in ('handed', 'delivering')`,
  'messages not handed over': 'select id as what from chat_messages where needs_admission = 1',
  'inputs not taken in': 'select id as what from inputs where run_id is not null and consumed_at is null',
};

const FAULTS: Readonly<Record<string, string>> = {
  'runs that failed': `select id || ' ' || status || ' ' || coalesce(outcome, '') as what from runs
    where status in ('failed', 'timed_out', 'cancelled')`,
  'platform calls that failed': `select id || ' ' || error as what from operations where status = 'failed'`,
  'announcements not delivered': `select run_id || ' ' || reason as what from announces where status = 'undelivered'`,
  'subagents made twice': `select label as what from sessions where label is not null group by label having count(*) > 1`,
};

export interface StateReader {
  /** What is still under way, or stuck. */
  unfinished(): readonly string[];
  /** What ended otherwise than well. */
  faults(): readonly string[];
  /** How often a subagent of that label was made. */
  made(label: string): number;
  /** Runs that were given up after three crashes, of which people were told. */
  interrupted(): number;
  close(): void;
}

export function readState(home: string): StateReader {
  const database = new Database(join(home, 'skein.db'), { readonly: true });
  const list = (queries: Readonly<Record<string, string>>) =>
    Object.entries(queries).flatMap(([name, query]) =>
      (database.prepare(query).all() as { what: string }[]).map(({ what }) => `${name}: ${what}`),
    );
  const count = database.prepare('select count(*) from sessions where label = ?').pluck();
  return {
    unfinished: () => list(UNFINISHED),
    faults: () => list(FAULTS),
    interrupted: () =>
      database.prepare("select count(*) from runs where status = 'interrupted'").pluck().get() as number,
    made: (label) => count.get(label) as number,
    close: () => void database.close(),
  };
}
