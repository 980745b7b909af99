/** The promises of ports/store/runs.ts: runs, inputs and tool calls. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inputId, runId, toolCallKey } from '../../src/core/ids.ts';
import type { NewRun, StoreTx } from '../../src/ports/store/index.ts';
import {
  ada,
  keyOf,
  newInput,
  newRun,
  newSession,
  openTemporaryStore,
  type StoreFixture,
} from '../support/sql-fixtures.ts';

let fixture: StoreFixture;
beforeEach(async () => {
  fixture = await openTemporaryStore();
  await write(async (tx) => {
    for (const name of ['a', 'b', 'c']) await tx.sessions.ensure(newSession(name));
  });
});
afterEach(() => fixture.remove());

const write = <T>(fn: (tx: StoreTx) => Promise<T>) => fixture.store.transaction(fn);
const insert = (id: string, session: string, more: Partial<NewRun> = {}) =>
  write((tx) => tx.runs.insert(newRun(id, session, more), 1_000));
const claim = (session: string, more: { cap?: number; now?: number; lane?: 'main' | 'subagent' } = {}) =>
  write((tx) =>
    tx.runs.claim({
      sessionKey: keyOf(session),
      lane: 'main',
      cap: 9,
      owner: 'me',
      leaseMs: 500,
      now: 2_000,
      ...more,
    }),
  );
const update = (
  id: string,
  ...rest: [Parameters<StoreTx['runs']['update']>[1], Parameters<StoreTx['runs']['update']>[2]]
) => write((tx) => tx.runs.update(runId(id), ...rest));
const end = (id: string) =>
  write((tx) =>
    tx.runs.end(
      runId(id),
      { from: ['running'] },
      { status: 'succeeded', outcome: { text: 'ok' }, endedAt: 9 },
    ),
  );
const get = (id: string) => fixture.store.read.runs.get(runId(id));
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

describe('a run', () => {
  it('is stored with what it was made of, numbered, and given back the same', async () => {
    const made = newRun('r1', 'a', {
      trigger: 'task',
      lane: 'subagent',
      status: 'waiting',
      waitingOn: { kind: 'operation', operation: 'op' },
      model: 'm',
      thinking: 'high',
      remainingMs: 60_000,
      origin: { delivery: { kind: 'internal' }, actor: ada },
    });
    const stored = await write((tx) => tx.runs.insert(made, 1_000));
    expect(stored).toEqual({
      ...made,
      seq: stored.seq,
      step: 0,
      attempt: 0,
      fence: 0,
      usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0 },
      partialReply: '',
      createdAt: 1_000,
    });
    expect(await get('r1')).toEqual(stored);
    expect((await insert('r2', 'a')).seq).toBeGreaterThan(stored.seq);
    expect(await get('none')).toBeUndefined();
  });

  it('is found by the beginning of its id, which is never a pattern', async () => {
    for (const id of ['run_ab1', 'run_ab2', 'run_ac', 'runXab']) await insert(id, 'a');
    expect(ids(await fixture.store.read.runs.withPrefix('run_ab', 9))).toEqual(['run_ab1', 'run_ab2']);
    expect(await fixture.store.read.runs.withPrefix('run_ab', 1)).toHaveLength(1);
    expect(await fixture.store.read.runs.withPrefix('%', 9)).toEqual([]);
  });

  it('is listed while active by session and over all, and newest first with the ended ones', async () => {
    await insert('r1', 'a');
    await insert('r2', 'b');
    await insert('r3', 'a');
    await claim('a');
    await end('r1');
    const runs = fixture.store.read.runs;
    expect(ids(await runs.active(keyOf('a')))).toEqual(['r3']);
    expect(ids(await runs.allActive(9))).toEqual(['r2', 'r3']);
    expect(ids(await runs.ofSession(keyOf('a'), 9))).toEqual(['r3', 'r1']);
    expect(await runs.ofSession(keyOf('a'), 1)).toHaveLength(1);
    expect(await runs.counts()).toEqual({ queued: 2, running: 0, waiting: 0 });
  });

  it('is removed with its inputs and tool calls', async () => {
    await insert('r1', 'a');
    await write((tx) => tx.inputs.insert(newInput('i1', 'a', 'r1'), 1));
    await write((tx) => tx.runs.remove(runId('r1')));
    expect(await get('r1')).toBeUndefined();
    expect(await fixture.store.read.inputs.ofRun(runId('r1'))).toEqual([]);
  });
});

describe('claiming', () => {
  it('sets status, owner, lease, start, deadline, fence and attempt', async () => {
    await insert('r1', 'a', { remainingMs: 60_000 });
    const run = await claim('a');
    expect(run).toMatchObject({
      status: 'running',
      owner: 'me',
      leaseExpiresAt: 2_500,
      startedAt: 2_000,
      deadlineAt: 62_000,
      fence: 1,
      attempt: 1,
    });
    expect(run).not.toHaveProperty('remainingMs');
    expect(await get('r1')).toEqual(run);
  });

  it('sets no deadline without a limit', async () => {
    await insert('r1', 'a');
    expect(await claim('a')).not.toHaveProperty('deadlineAt');
  });

  it('takes the runs of a session in order, one at a time', async () => {
    await insert('r1', 'a');
    await insert('r2', 'a');
    expect(await claim('a')).toMatchObject({ id: 'r1' });
    expect(await claim('a')).toBeUndefined();
    await end('r1');
    expect(await claim('a')).toMatchObject({ id: 'r2' });
  });

  it('takes none while an older one waits', async () => {
    await insert('r1', 'a', {
      status: 'waiting',
      waitingOn: { kind: 'children', runs: ['x'], until: 'all' },
    });
    await insert('r2', 'a');
    expect(await claim('a')).toBeUndefined();
    await update('r1', { from: ['waiting'] }, { status: 'queued', waitingOn: null });
    expect(await claim('a')).toMatchObject({ id: 'r1' });
  });

  it('waits for the time of a retry, and lets no younger run overtake it', async () => {
    await insert('r1', 'a');
    await insert('r2', 'a');
    await update('r1', { from: ['queued'] }, { notBefore: 3_000 });
    expect(await claim('a', { now: 2_999 })).toBeUndefined();
    const run = await claim('a', { now: 3_000 });
    expect(run).toMatchObject({ id: 'r1' });
    expect(run).not.toHaveProperty('notBefore');
  });

  it('keeps to the cap of its lane, which other lanes do not fill', async () => {
    await insert('r1', 'a');
    await insert('r2', 'b');
    await insert('r3', 'c', { lane: 'subagent' });
    await claim('a', { cap: 1 });
    expect(await claim('b', { cap: 1 })).toBeUndefined();
    expect(await claim('c', { cap: 1 })).toBeUndefined();
    expect(await claim('c', { cap: 1, lane: 'subagent' })).toMatchObject({ id: 'r3' });
    await update('r1', { from: ['running'] }, { status: 'waiting' });
    expect(await claim('b', { cap: 1 })).toMatchObject({ id: 'r2' });
  });

  it('grows the fence every time and keeps the first start', async () => {
    await insert('r1', 'a');
    await claim('a');
    await update('r1', { from: ['running'], fence: 1 }, { status: 'queued' });
    expect(await claim('a', { now: 5_000 })).toMatchObject({ fence: 2, attempt: 2, startedAt: 2_000 });
  });

  it('is announced by the sessions that could be claimed, longest waiting first', async () => {
    const claimable = (now = 2_000, limit = 9) => fixture.store.read.runs.claimable('main', now, limit);
    await insert('r1', 'b');
    await insert('r2', 'a');
    await insert('r3', 'a');
    await insert('r4', 'c', { lane: 'subagent' });
    expect(await claimable()).toEqual([keyOf('b'), keyOf('a')]);
    expect(await claimable(2_000, 1)).toEqual([keyOf('b')]);
    await claim('b');
    await update('r2', { from: ['queued'] }, { notBefore: 3_000 });
    expect(await claimable()).toEqual([]);
    expect(await claimable(3_000)).toEqual([keyOf('a')]);
    await update('r2', { from: ['queued'] }, { status: 'waiting' });
    expect(await claimable(3_000)).toEqual([]);
  });

  it('cannot be gone around: a second running run of a session is refused', async () => {
    await insert('r1', 'a');
    await insert('r2', 'a');
    await claim('a');
    await expect(update('r2', { from: ['queued'] }, { status: 'running' })).rejects.toMatchObject({
      code: 'store-failed',
    });
  });
});

describe('a change of a run', () => {
  it('happens only from the expected status and fence', async () => {
    await insert('r1', 'a');
    await claim('a');
    expect(await update('r1', { from: ['queued'] }, { step: 1 })).toBe(false);
    expect(await update('r1', { from: ['running'], fence: 7 }, { step: 1 })).toBe(false);
    expect(await update('r1', { from: ['queued', 'running'], fence: 1 }, { step: 1, attempt: 0 })).toBe(true);
    expect(await update('none', { from: ['running'] }, { step: 1 })).toBe(false);
    expect(await update('r1', { from: ['running'], fence: 1 }, {})).toBe(true);
    expect(await update('r1', { from: ['running'], fence: 2 }, {})).toBe(false);
    expect(await get('r1')).toMatchObject({ step: 1, attempt: 0 });
  });

  it('clears owner, lease and deadline when it moves out of running, and fields given as null', async () => {
    await insert('r1', 'a', { remainingMs: 1_000 });
    await claim('a');
    const wait = { kind: 'children', runs: ['x', 'y'], until: 'any' } as const;
    await update('r1', { from: ['running'] }, { status: 'waiting', waitingOn: wait, remainingMs: 400 });
    const waiting = await get('r1');
    expect(waiting).toMatchObject({ waitingOn: wait, remainingMs: 400 });
    for (const field of ['owner', 'leaseExpiresAt', 'deadlineAt']) expect(waiting).not.toHaveProperty(field);
    await update('r1', { from: ['waiting'] }, { waitingOn: null, remainingMs: null });
    for (const field of ['waitingOn', 'remainingMs']) expect(await get('r1')).not.toHaveProperty(field);
  });

  it('ends it once, with its outcome', async () => {
    await insert('r1', 'a');
    await claim('a');
    const outcome = { text: '', error: { code: 'timeout', message: 'It took too long.' } };
    const usage = { inputTokens: 3, outputTokens: 2, cachedTokens: 1 };
    const ended = { status: 'timed_out', outcome, endedAt: 9_000, usage } as const;
    const endWith = (fence: number) =>
      write((tx) => tx.runs.end(runId('r1'), { from: ['running'], fence }, ended));
    expect(await endWith(2)).toBe(false);
    expect(await endWith(1)).toBe(true);
    expect(await endWith(1)).toBe(false);
    expect(await get('r1')).toMatchObject(ended);
    expect(await get('r1')).not.toHaveProperty('owner');
  });

  it('extends the lease of its owner alone', async () => {
    await insert('r1', 'a');
    await claim('a');
    expect(await write((tx) => tx.runs.renewLease(runId('r1'), 1, 7_000))).toBe(true);
    expect(await write((tx) => tx.runs.renewLease(runId('r1'), 0, 9_000))).toBe(false);
    expect(await get('r1')).toMatchObject({ leaseExpiresAt: 7_000 });
    await end('r1');
    expect(await write((tx) => tx.runs.renewLease(runId('r1'), 1, 9_000))).toBe(false);
  });
});

it('running runs are found by lease and by owner', async () => {
  await insert('r1', 'a');
  await insert('r2', 'b');
  await claim('a');
  await claim('b');
  const runs = fixture.store.read.runs;
  expect(ids(await runs.leaseExpired(2_499, 9))).toEqual([]);
  expect(ids(await runs.leaseExpired(2_500, 9)).sort()).toEqual(['r1', 'r2']);
  expect(await runs.owners()).toEqual(['me']);
  await end('r1');
  await end('r2');
  expect(await runs.owners()).toEqual([]);
});

describe('inputs', () => {
  const insertInput = (id: string, session: string, run?: string) =>
    write((tx) => tx.inputs.insert(newInput(id, session, run), 1_000));

  it('are stored once by id', async () => {
    expect(await insertInput('i1', 'a', 'r1')).toBe(true);
    expect(await insertInput('i1', 'b')).toBe(false);
    const [stored] = await fixture.store.read.inputs.ofRun(runId('r1'));
    expect(stored).toEqual({ ...newInput('i1', 'a', 'r1'), seq: stored!.seq, createdAt: 1_000 });
  });

  it('are pending for their run until they are consumed, in order of arrival', async () => {
    for (const id of ['i2', 'i1', 'i3']) await insertInput(id, 'a', 'r1');
    await write((tx) => tx.inputs.consume([inputId('i1'), inputId('none')], 2_000));
    expect(ids(await fixture.store.read.inputs.pending(runId('r1')))).toEqual(['i2', 'i3']);
    expect(ids(await fixture.store.read.inputs.ofRun(runId('r1')))).toEqual(['i2', 'i1', 'i3']);
    expect((await fixture.store.read.inputs.ofRun(runId('r1')))[1]).toMatchObject({ consumedAt: 2_000 });
  });

  it('wait unassigned until a run takes them', async () => {
    await insertInput('i1', 'a');
    await insertInput('i2', 'a');
    await insertInput('i3', 'b');
    expect(ids(await fixture.store.read.inputs.unassigned(keyOf('a')))).toEqual(['i1', 'i2']);
    await write((tx) => tx.inputs.assign([inputId('i1')], runId('r1')));
    expect(ids(await fixture.store.read.inputs.unassigned(keyOf('a')))).toEqual(['i2']);
    expect(ids(await fixture.store.read.inputs.pending(runId('r1')))).toEqual(['i1']);
  });

  it('are removed and rewritten as long as they were not consumed', async () => {
    await insertInput('i1', 'a', 'r1');
    await insertInput('i2', 'a', 'r1');
    await insertInput('i3', 'a', 'r1');
    await write((tx) => tx.inputs.consume([inputId('i3')], 2_000));
    expect(await write((tx) => tx.inputs.remove([inputId('i1'), inputId('i3')]))).toBe(1);
    await write((tx) => tx.inputs.rewrite(inputId('i2'), 'shorter', { kind: 'runtime' }));
    await write((tx) => tx.inputs.rewrite(inputId('i3'), 'too late', { kind: 'runtime' }));
    const left = await fixture.store.read.inputs.ofRun(runId('r1'));
    expect(ids(left)).toEqual(['i2', 'i3']);
    expect(left.map(({ text }) => text)).not.toContain('too late');
    expect(left[0]).toMatchObject({ text: 'shorter', provenance: { kind: 'runtime' } });
  });
});

it('tool calls are unfinished until they are done, in order of step and index', async () => {
  const call = (step: number, index: number) =>
    ({
      key: toolCallKey(runId('r1'), step, index),
      runId: runId('r1'),
      sessionKey: keyOf('a'),
      step,
      index,
      callId: `call-${step}-${index}`,
      name: 'sessions_spawn',
      arguments: { task: 'x', nested: [1, null] },
      status: 'pending',
    }) as const;
  await write((tx) => tx.toolCalls.insert([call(2, 10), call(2, 2), call(1, 0)]));
  await write(async (tx) => {
    await tx.toolCalls.setStatus(call(1, 0).key, 'done');
    await tx.toolCalls.setStatus(call(2, 10).key, 'started');
  });
  expect(await fixture.store.read.toolCalls.unfinished(runId('r1'))).toEqual([
    call(2, 2),
    { ...call(2, 10), status: 'started' },
  ]);
});
