/** A folder of its own for one test, removed when the test has ended. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export function tempDir(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'skein-test-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
