/** A database in a folder of its own, with the machine's clock and a log that says nothing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';

export const sqlClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, fire) => {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};

const ignore = () => undefined;
export const sqlLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => sqlLog };

export function databaseSettings(path: string) {
  return { path, synchronous: 'normal', clock: sqlClock, log: sqlLog } as const;
}

/** A new folder for one test; `remove` deletes it with everything in it. */
export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'skein-sql-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
