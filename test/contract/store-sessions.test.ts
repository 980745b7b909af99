/** The promises of ports/store/sessions.ts. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runId } from '../../src/core/ids.ts';
import type { NewSession, SessionPatch, StoreTx } from '../../src/ports/store/index.ts';
import {
  answered,
  keyOf,
  newInput,
  newRun,
  newSession,
  openTemporaryStore,
  place,
  type StoreFixture,
} from '../support/sql-fixtures.ts';

let fixture: StoreFixture;
beforeEach(async () => {
  fixture = await openTemporaryStore();
});
afterEach(() => fixture.remove());

const write = <T>(fn: (tx: StoreTx) => Promise<T>) => fixture.store.transaction(fn);
const ensure = (name: string, more: Partial<NewSession> = {}) =>
  write((tx) => tx.sessions.ensure(newSession(name, more)));
const update = (name: string, patch: SessionPatch, now = 2_000) =>
  write((tx) => tx.sessions.update(keyOf(name), patch, now));
const get = (name: string) => fixture.store.read.sessions.get(keyOf(name));
const child = (name: string, of: string, ordinal: number) =>
  ensure(name, { spawnedBy: keyOf(of), ordinal, depth: 1, role: 'leaf', mode: 'run' });
const keys = (sessions: readonly { key: string }[]) => sessions.map(({ key }) => key.split(':').at(-1));

describe('a session', () => {
  it('is stored with all its fields, and the stored one is returned ever after', async () => {
    const made = newSession('a', {
      label: 'look into x',
      taskName: 'look',
      displayName: '#general',
      spawnedBy: keyOf('root'),
      spawnedByRun: runId('run_1'),
      depth: 1,
      role: 'orchestrator',
      ordinal: 2,
      mode: 'session',
      cleanup: 'delete',
      model: 'm',
      thinking: 'low',
      sendPolicy: 'deny',
      route: place('general', 't1'),
      group: 'work',
      icon: '🐙',
    });
    const stored = await write((tx) => tx.sessions.ensure(made));
    expect(stored).toEqual({
      ...made,
      usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
      contextTokens: 0,
      stateVersion: 0,
      hasAbortedLastRun: false,
      isPinned: false,
      updatedAt: 1_000,
    });
    expect(await ensure('a', { id: 'other', label: 'other' })).toEqual(stored);
    expect(await get('a')).toEqual(stored);
    expect(await fixture.store.read.sessions.getById('id-a')).toEqual(stored);
    expect(await get('b')).toBeUndefined();
  });

  it('is changed in the fields that a patch names, which null clears', async () => {
    await ensure('a', { label: 'x', model: 'm' });
    const usage = { inputTokens: 5, outputTokens: 3, cachedTokens: 2 };
    await update('a', {
      label: null,
      route: place(),
      hasAbortedLastRun: true,
      addUsage: usage,
      contextTokens: 7,
    });
    await update('a', { addUsage: usage, isPinned: true }, 3_000);
    const session = await get('a');
    expect(session).toMatchObject({
      model: 'm',
      route: place(),
      hasAbortedLastRun: true,
      isPinned: true,
      usage: { inputTokens: 10, outputTokens: 6, cachedTokens: 4 },
      contextTokens: 7,
      updatedAt: 3_000,
    });
    expect(session).not.toHaveProperty('label');
    await update('none', { label: 'y' });
  });

  it('is found by its label until it is archived', async () => {
    await ensure('a', { label: 'x' });
    await ensure('b', { label: 'x' });
    await ensure('c', { label: 'xy' });
    await update('b', { archivedAt: 5 });
    expect(keys(await fixture.store.read.sessions.withLabel('x'))).toEqual(['a']);
  });

  it('is listed by its last change until it is archived', async () => {
    for (const name of ['a', 'b', 'c']) await ensure(name);
    await update('a', {}, 5_000);
    await update('c', { archivedAt: 5 }, 9_000);
    expect(keys(await fixture.store.read.sessions.recent(9))).toEqual(['a', 'b']);
    expect(await fixture.store.read.sessions.recent(1)).toHaveLength(1);
  });

  it('is due for archive when its time has come, and not twice', async () => {
    for (const [name, archiveAt] of [
      ['a', 20],
      ['b', 10],
      ['c', 30],
    ] as const) {
      await ensure(name);
      await update(name, { archiveAt });
    }
    const due = (now: number) => fixture.store.read.sessions.dueForArchive(now, 9);
    expect(keys(await due(20))).toEqual(['b', 'a']);
    await update('b', { archivedAt: 20 });
    await update('a', { archiveAt: null });
    expect(await due(20)).toEqual([]);
  });
});

describe('children', () => {
  it('are listed by ordinal, descendants nearest first, archived ones included', async () => {
    await ensure('root');
    await child('c2', 'root', 2);
    await child('c10', 'root', 10);
    await child('c1', 'root', 1);
    await child('grandchild', 'c1', 1);
    await update('c2', { archivedAt: 5 });
    const { sessions } = fixture.store.read;
    expect(keys(await sessions.children(keyOf('root')))).toEqual(['c1', 'c2', 'c10']);
    expect(keys(await sessions.descendants(keyOf('root')))).toEqual(['c1', 'c2', 'c10', 'grandchild']);
    expect(await sessions.descendants(keyOf('grandchild'))).toEqual([]);
  });

  it('are numbered on from the highest ever given, also after one was removed', async () => {
    await ensure('root');
    const next = () => write((tx) => tx.sessions.nextOrdinal(keyOf('root')));
    expect(await next()).toBe(1);
    await child('c2', 'root', await next());
    await write((tx) => tx.sessions.remove(keyOf('c2')));
    expect(await next()).toBe(3);
  });
});

it('removing a session removes its transcript, inputs and runs, and what was searched of it (SEARCH-05)', async () => {
  await ensure('a');
  await ensure('b');
  for (const name of ['a', 'b']) {
    await write(async (tx) => {
      await tx.entries.append(keyOf(name), [answered('unusual words')], 1);
      await tx.runs.insert(newRun(`r-${name}`, name), 1);
      await tx.inputs.insert(newInput(`i-${name}`, name, `r-${name}`), 1);
      await tx.stateLog.watch(keyOf('b'), keyOf(name), 1);
    });
  }
  await write((tx) => tx.sessions.remove(keyOf('a')));
  const { read } = fixture.store;
  expect(await get('a')).toBeUndefined();
  expect(await read.entries.list(keyOf('a'))).toEqual([]);
  expect(await read.runs.get(runId('r-a'))).toBeUndefined();
  expect(await read.inputs.ofRun(runId('r-a'))).toEqual([]);
  expect(await read.stateLog.watchers(keyOf('a'))).toEqual([]);
  expect((await read.entries.search('unusual', { limit: 9 })).map((hit) => hit.sessionKey)).toEqual([
    keyOf('b'),
  ]);
  expect(await read.inputs.ofRun(runId('r-b'))).toHaveLength(1);
  await ensure('a');
  expect(await read.entries.list(keyOf('a'))).toEqual([]);
});
