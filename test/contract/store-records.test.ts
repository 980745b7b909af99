/** The promises of the smaller stores: announces, the state log, and admissions. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operationId, runId } from '../../src/core/ids.ts';
import type { AnnounceStatus, NewAnnounce, NewStateEvent, StoreTx } from '../../src/ports/store/index.ts';
import {
  ada,
  keyOf,
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

describe('an announce', () => {
  const announce: NewAnnounce = {
    runId: runId('r1'),
    childKey: keyOf('child'),
    requesterKey: keyOf('parent'),
    origin: { delivery: { kind: 'external', address: place() }, actor: ada },
    outcome: 'succeeded',
    status: 'handed',
  };
  const insert = (more: Partial<NewAnnounce> = {}) =>
    write((tx) => tx.announces.insert({ ...announce, ...more }, 1_000));
  const move = (
    from: readonly AnnounceStatus[],
    to: { status: AnnounceStatus; operation?: ReturnType<typeof operationId>; reason?: string },
  ) => write((tx) => tx.announces.move(runId('r1'), from, to, 2_000));
  const get = () => fixture.store.read.announces.get(runId('r1'));

  it('exists once a run', async () => {
    expect(await insert()).toBe(true);
    expect(await insert({ status: 'delivered' })).toBe(false);
    expect(await get()).toEqual({ ...announce, createdAt: 1_000 });
  });

  it('moves only from the expected status, keeps its operation, and ends with the time', async () => {
    await insert();
    expect(await move(['delivering'], { status: 'delivered' })).toBe(false);
    expect(await move(['handed'], { status: 'delivering', operation: operationId('o1') })).toBe(true);
    expect(await get()).not.toHaveProperty('endedAt');
    expect(await move(['handed', 'delivering'], { status: 'undelivered', reason: 'thread deleted' })).toBe(
      true,
    );
    expect(await get()).toMatchObject({
      status: 'undelivered',
      operation: 'o1',
      reason: 'thread deleted',
      endedAt: 2_000,
    });
  });

  it('that begins at its end carries the time of its making', async () => {
    await insert({ status: 'suppressed', reason: 'silent' });
    expect(await get()).toMatchObject({ status: 'suppressed', endedAt: 1_000 });
  });
});

describe('the state log', () => {
  const event = (name: string, more: Partial<NewStateEvent> = {}): NewStateEvent => ({
    sessionKey: keyOf(name),
    kind: 'run_completed',
    actorType: 'agent',
    actorId: 'main',
    summary: 'done',
    payload: { outcome: 'succeeded', turns: 2 },
    ...more,
  });
  const append = (...args: Parameters<typeof event>) =>
    write((tx) => tx.stateLog.append(event(...args), 1_000));

  it('grows over all sessions, and raises the version of its own', async () => {
    for (const name of ['a', 'b']) await write((tx) => tx.sessions.ensure(newSession(name)));
    const first = await append('a', { runId: runId('r1') });
    const second = await append('b');
    const third = await append('a');
    expect(first).toEqual({ ...event('a', { runId: runId('r1') }), sequence: first.sequence, at: 1_000 });
    expect(second.sequence).toBeGreaterThan(first.sequence);
    const { stateLog, sessions } = fixture.store.read;
    expect(await stateLog.after(keyOf('a'), 0, 9)).toEqual([first, third]);
    expect(await stateLog.after(keyOf('a'), first.sequence, 9)).toEqual([third]);
    expect(await stateLog.after(keyOf('a'), 0, 1)).toEqual([first]);
    expect(await sessions.get(keyOf('a'))).toMatchObject({ stateVersion: third.sequence });
    expect(await sessions.get(keyOf('b'))).toMatchObject({ stateVersion: second.sequence });
  });

  it('names each watcher once', async () => {
    for (const watcher of ['w2', 'w1', 'w2']) {
      await write((tx) => tx.stateLog.watch(keyOf(watcher), keyOf('a'), 1_000));
    }
    expect(await fixture.store.read.stateLog.watchers(keyOf('a'))).toEqual([keyOf('w1'), keyOf('w2')]);
    expect(await fixture.store.read.stateLog.watchers(keyOf('b'))).toEqual([]);
  });
});

describe('admissions', () => {
  it('record an event once by account, with what a repetition answers', async () => {
    const record = (account: string, result: unknown) =>
      write((tx) => tx.admissions.record({ channel: 'webchat', account, eventId: 'e1', result }, 1_000));
    expect(await record('default', { runId: 'r1', list: [1] })).toBe(true);
    expect(await record('default', 'other')).toBe(false);
    expect(await record('second', null)).toBe(true);
    const { admissions } = fixture.store.read;
    expect(await admissions.result('webchat', 'default', 'e1')).toEqual({ runId: 'r1', list: [1] });
    expect(await admissions.result('webchat', 'second', 'e1')).toBeNull();
    expect(await admissions.result('discord', 'default', 'e1')).toBeUndefined();
  });

  it('show what was dropped and why, newest first', async () => {
    const drop = (eventId: string) =>
      ({ address: place('general', 't1'), eventId, senderId: 'ada', reason: 'empty-text', at: 5 }) as const;
    await write(async (tx) => {
      await tx.admissions.drop(drop('e1'));
      await tx.admissions.drop(drop('e2'));
    });
    expect(await fixture.store.read.admissions.drops(9)).toEqual([drop('e2'), drop('e1')]);
    expect(await fixture.store.read.admissions.drops(1)).toHaveLength(1);
  });

  it('forget what is older, so many at a time', async () => {
    const at = place('general');
    const { admissions } = fixture.store.read;
    await write(async (tx) => {
      for (const [eventId, now] of [
        ['e1', 1_000],
        ['e2', 2_000],
        ['e3', 3_000],
      ] as const) {
        await tx.admissions.record({ channel: 'webchat', account: 'default', eventId, result: now }, now);
        await tx.admissions.drop({ address: at, eventId, senderId: 'ada', reason: 'empty-text', at: now });
      }
    });
    expect(await write((tx) => tx.admissions.forget(3_000, 1))).toBe(1);
    expect(await write((tx) => tx.admissions.forget(3_000, 9))).toBe(1);
    expect(await write((tx) => tx.admissions.forget(3_000, 9))).toBe(0);
    expect((await admissions.drops(9)).map(({ eventId }) => eventId)).toEqual(['e3']);
    expect(await admissions.result('webchat', 'default', 'e2')).toBeUndefined();
    expect(await admissions.result('webchat', 'default', 'e3')).toBe(3_000);
  });
});
