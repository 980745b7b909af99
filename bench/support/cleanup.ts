/** What a benchmark has to give back, in the order in which it was taken; given back the other way round. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Cleanup {
  add(release: () => Promise<void> | void): void;
}

/** Runs `fn` and releases everything that it added, whether it succeeded or not. */
export async function withCleanup<T>(fn: (cleanup: Cleanup) => Promise<T>): Promise<T> {
  const releases: (() => Promise<void> | void)[] = [];
  try {
    return await fn({ add: (release) => releases.push(release) });
  } finally {
    for (const release of releases.reverse()) await release();
  }
}

export function tempHome(cleanup: Cleanup): string {
  const home = mkdtempSync(join(tmpdir(), 'skein-bench-'));
  cleanup.add(() => rmSync(home, { recursive: true, force: true }));
  return home;
}
