/**
 * `npm test`: every suite, one after the other, with what each needs found or installed first. Names the suites that
 * could not run; its last line is `N passed, N failed`. In CI (`CI` set) a suite that did not run is a failure.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHROMIUM_COMMAND, findChromium, installChromium } from './support/chromium.ts';
import { findRedisServer, installRedisServer, REDIS_COMMAND } from './support/find-redis.ts';

const SUITES = ['unit', 'contract', 'e2e', 'browser'] as const;
type Suite = (typeof SUITES)[number];
/** Without a Redis server these run all the same, and say which of their tests they left out. */
const NEEDS_REDIS: ReadonlySet<Suite> = new Set<Suite>(['contract', 'e2e']);

interface Result {
  readonly passed: number;
  readonly failed: number;
  /** Why the suite, or a part of it, did not run. */
  readonly missing?: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const reports = mkdtempSync(join(tmpdir(), 'skein-reports-'));

function runAll(): number {
  const results = SUITES.map((suite) => ({ suite, ...runSuite(suite) }));
  const passed = sum(results.map((result) => result.passed));
  const failed = sum(results.map((result) => result.failed));
  const missing = results.filter((result) => result.missing !== undefined);
  for (const { suite, missing: reason } of missing) {
    process.stdout.write(`\n*** The suite "${suite}" DID NOT RUN: ${reason}\n`);
  }
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  const isIncomplete = missing.length > 0 && Boolean(process.env.CI);
  return failed > 0 || isIncomplete ? 1 : 0;
}

function runSuite(suite: Suite): Result {
  const env: NodeJS.ProcessEnv = { ...process.env };
  if (suite === 'browser') {
    const chromium = findChromium(env) ?? installChromium(env);
    if (chromium === undefined) {
      const reason = `there is no Chromium on this machine. To run it: ${CHROMIUM_COMMAND} && npm test`;
      return { passed: 0, failed: 0, missing: reason };
    }
    env.CHROMIUM_PATH = chromium;
  }
  const redis = NEEDS_REDIS.has(suite) ? (findRedisServer(env) ?? installRedisServer(env)) : undefined;
  if (redis !== undefined) env.REDIS_SERVER = redis;
  const report = join(reports, `${suite}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  process.stdout.write(`\n=== ${suite}\n`);
  const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', suite, ...reporters], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  const result = readResult(report, status ?? 1);
  if (result.missing === undefined || redis !== undefined || !NEEDS_REDIS.has(suite)) return result;
  return { ...result, missing: `${result.missing}; for those with Redis: ${REDIS_COMMAND} && npm test` };
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numFailedTestSuites: number;
}

/** A file that could not even be loaded has no failed tests, but is a failure all the same. */
function readResult(path: string, status: number): Result {
  const report = readReport(path);
  if (report === undefined) return { passed: 0, failed: 1, missing: 'it ended without a report; see above' };
  const { numPassedTests: passed, numFailedTests, numPendingTests: skipped } = report;
  if (passed + numFailedTests + report.numFailedTestSuites === 0) {
    return { passed: 0, failed: 0, missing: 'it has no tests' };
  }
  const failed = status !== 0 ? Math.max(1, numFailedTests) : numFailedTests;
  return { passed, failed, ...(skipped > 0 && { missing: `${skipped} of its tests were skipped` }) };
}

function readReport(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

try {
  process.exitCode = runAll();
} finally {
  rmSync(reports, { recursive: true, force: true });
}
