/** The promises of ports/store/index.ts: transactions, reading, and several processes on one file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/errors.ts';
import type { StoreTx } from '../../src/ports/store/index.ts';
import {
  keyOf,
  newRun,
  newSession,
  openTemporaryStore,
  type StoreFixture,
  said,
} from '../support/sql-fixtures.ts';

let fixture: StoreFixture;
let children: ChildProcess[];
beforeEach(async () => {
  fixture = await openTemporaryStore();
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await fixture.remove();
});

const exists = async (name: string) => (await fixture.store.read.sessions.get(keyOf(name))) !== undefined;
const make = (name: string) => fixture.store.transaction((tx) => tx.sessions.ensure(newSession(name)));

/** A process with the store open as `store`, and the fixtures as `fixtures`; resolves when it has printed something. */
async function otherProcess(script: string): Promise<ChildProcess> {
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const source = `
    import Database from 'better-sqlite3';
    import * as fixtures from ${url('../support/sql-fixtures.ts')};
    import { openSqliteStore } from ${url('../../adapters/sql/index.ts')};
    const path = ${JSON.stringify(fixture.path)};
    ${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout!, 'data');
  return child;
}

describe('a transaction', () => {
  it('commits when its promise resolves and gives its result', async () => {
    expect(await make('a')).toMatchObject({ key: keyOf('a') });
    expect(await exists('a')).toBe(true);
  });

  it('rolls back when its promise rejects, and rejects with the same error', async () => {
    const fault = new Error('stop');
    const failed = fixture.store.transaction(async (tx) => {
      await tx.sessions.ensure(newSession('a'));
      throw fault;
    });
    await expect(failed).rejects.toBe(fault);
    expect(await exists('a')).toBe(false);
    await make('b');
    expect(await exists('b')).toBe(true);
  });

  it('rolls back when it cannot be committed', async () => {
    const failed = fixture.store.transaction((tx) => tx.runs.insert(newRun('r1', 'no-such-session'), 1));
    await expect(failed).rejects.toMatchObject({ code: 'store-failed' });
    await make('b');
    expect(await fixture.store.read.runs.allActive(9)).toEqual([]);
  });

  it('runs alone, in the order of asking', async () => {
    const steps: string[] = [];
    const one = (name: string) =>
      fixture.store.transaction(async (tx) => {
        steps.push(`${name} begins`);
        await tx.sessions.ensure(newSession(name));
        await tx.sessions.get(keyOf(name));
        steps.push(`${name} ends`);
      });
    await Promise.all([one('a'), one('b'), one('c')]);
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('keeps what it wrote when others that were begun at once fail, and the other way round', async () => {
    const fault = new Error('stop');
    const names = Array.from({ length: 60 }, (_, n) => `n${n}`);
    // More than once, so that the store has seen that there are many.
    for (const round of ['one', 'two', 'three']) {
      const ended = await Promise.allSettled(
        names.map((name, n) =>
          fixture.store.transaction(async (tx) => {
            await tx.sessions.ensure(newSession(`${round}-${name}`));
            if (n % 3 === 0) throw fault;
            return n;
          }),
        ),
      );
      for (const [n, name] of names.entries()) {
        const isKept = n % 3 !== 0;
        expect(ended[n]).toEqual(
          isKept ? { status: 'fulfilled', value: n } : { status: 'rejected', reason: fault },
        );
        expect(await exists(`${round}-${name}`)).toBe(isKept);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  });

  it('that cannot be committed takes down none of those that were begun with it', async () => {
    const many = Array.from({ length: 20 }, (_, n) => n);
    const ended = await Promise.allSettled(
      many.map((n) =>
        n === 7
          ? fixture.store.transaction((tx) => tx.runs.insert(newRun('r1', 'no-such-session'), 1))
          : make(`n${n}`),
      ),
    );
    expect(ended.map(({ status }) => status === 'fulfilled')).toEqual(many.map((n) => n !== 7));
    for (const n of many) expect(await exists(`n${n}`)).toBe(n !== 7);
    expect(await fixture.store.read.runs.allActive(9)).toEqual([]);
  });

  it('sees its own writes, which reading outside does not before it commits', async () => {
    await fixture.store.transaction(async (tx) => {
      await tx.sessions.ensure(newSession('a'));
      expect(await tx.sessions.get(keyOf('a'))).toBeDefined();
      expect(await exists('a')).toBe(false);
    });
    expect(await exists('a')).toBe(true);
  });

  it('is refused at once inside another one, of either store', async () => {
    await fixture.store.transaction(async () => {
      await expect(make('a')).rejects.toMatchObject({ code: 'store-failed' });
      await expect(fixture.chat.markAdmitted(['m'])).rejects.toMatchObject({ code: 'store-failed' });
    });
  });

  it('may be begun by work that a finished one left behind', async () => {
    let later: Promise<unknown> = Promise.resolve();
    await fixture.store.transaction(async () => {
      later = new Promise((resolve) => setImmediate(resolve)).then(() => make('a'));
    });
    await later;
    expect(await exists('a')).toBe(true);
  });

  it('leaves a handle that does nothing any more', async () => {
    let kept: StoreTx | undefined;
    await fixture.store.transaction(async (tx) => {
      kept = tx;
    });
    await expect(kept!.sessions.ensure(newSession('a'))).rejects.toMatchObject({ code: 'store-failed' });
    await fixture.store.transaction(async () => {
      await expect(kept!.sessions.get(keyOf('a'))).rejects.toMatchObject({ code: 'store-failed' });
    });
  });

  it('is run again from the start when the database was busy', async () => {
    let tries = 0;
    await fixture.store.transaction(async (tx) => {
      await tx.entries.append((await tx.sessions.ensure(newSession('a'))).key, [said('once')], 1);
      if (++tries === 1) throw new AppError('store-busy', 'busy');
    });
    expect(tries).toBe(2);
    expect(await fixture.store.read.entries.list(keyOf('a'))).toHaveLength(1);
  });
});

describe('two processes on one file', () => {
  it('B7: wait for each other without blocking, and reading never waits', async () => {
    await make('a');
    const holder = await otherProcess(`
      const database = new Database(path);
      database.exec('BEGIN IMMEDIATE');
      process.stdout.write('held');
      process.stdin.once('data', () => { database.exec('COMMIT'); database.close(); process.exit(); });`);
    let isWritten = false;
    const written = make('b').then(() => {
      isWritten = true;
    });
    let longestGapMs = 0;
    const startedAt = performance.now();
    while (performance.now() - startedAt < 1_000) {
      const before = performance.now();
      expect(await exists('a')).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 5));
      longestGapMs = Math.max(longestGapMs, performance.now() - before);
    }
    expect(isWritten).toBe(false);
    // SQLite itself may sleep for a few milliseconds; the rest is a generous allowance for a loaded machine.
    expect(longestGapMs).toBeLessThan(250);
    holder.stdin!.write('go');
    await written;
    expect(await exists('b')).toBe(true);
  });

  it('claim a run once, and keep to one cap of the lane', async () => {
    const { store: other } = await fixture.second();
    await fixture.store.transaction(async (tx) => {
      for (const name of ['a', 'b', 'c']) {
        await tx.sessions.ensure(newSession(name));
        await tx.runs.insert(newRun(`r-${name}`, name), 1);
      }
    });
    const claims = await Promise.all(
      [fixture.store, other].flatMap((store, i) =>
        ['a', 'b', 'c'].map((name) =>
          store.transaction((tx) =>
            tx.runs.claim({
              sessionKey: keyOf(name),
              lane: 'main',
              cap: 2,
              owner: `process-${i}`,
              leaseMs: 1_000,
              now: 5,
            }),
          ),
        ),
      ),
    );
    expect(claims.filter((run) => run !== undefined)).toHaveLength(2);
    expect(await other.read.runs.counts()).toEqual({ queued: 1, running: 2, waiting: 0 });
  });

  it('see what the other one committed', async () => {
    const { store: other } = await fixture.second();
    await other.transaction((tx) => tx.sessions.ensure(newSession('a')));
    expect(await exists('a')).toBe(true);
  });

  it('open a new database at the same time', async () => {
    const opened = await Promise.all([fixture.second(), fixture.second()]);
    expect(opened).toHaveLength(2);
  });
});

it('a process killed in the middle of a transaction leaves what was committed, whole', async () => {
  const child = await otherProcess(`
    const { store } = await openSqliteStore(fixtures.databaseSettings(path));
    const { keyOf, newSession, said } = fixtures;
    await store.transaction(async (tx) => {
      await tx.sessions.ensure(newSession('committed'));
      await tx.entries.append(keyOf('committed'), [said('kept words')], 1);
    });
    await store.transaction(async (tx) => {
      await tx.sessions.ensure(newSession('open'));
      await tx.entries.append(keyOf('committed'), [said('lost words')], 1);
      process.stdout.write('open');
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { store } = await fixture.second();
  expect(await store.read.sessions.get(keyOf('open'))).toBeUndefined();
  expect(await store.read.entries.list(keyOf('committed'))).toHaveLength(1);
  expect(await store.read.entries.search('kept', { limit: 9 })).toHaveLength(1);
  expect(await store.read.entries.search('lost', { limit: 9 })).toEqual([]);
  await make('after');
  expect(await exists('after')).toBe(true);
});
