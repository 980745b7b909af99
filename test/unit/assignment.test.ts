import { describe, expect, test } from 'vitest';
import type { Address } from '../../src/core/address.ts';
import { type ActiveRun, assignInput, isSameDelivery, type QueueMode } from '../../src/core/assignment.ts';
import { runId } from '../../src/core/ids.ts';
import type { Delivery, RunStatus, Trigger, WaitingOn } from '../../src/core/run.ts';

const place = (thread?: string): Address => ({
  channel: 'discord',
  account: 'default',
  chatType: 'channel',
  conversation: 'c',
  ...(thread !== undefined && { thread }),
});
const here: Delivery = { kind: 'external', address: place() };
const thread: Delivery = { kind: 'external', address: place('t') };
const internal: Delivery = { kind: 'internal' };

const run = (id: string, status: RunStatus, more: Partial<ActiveRun> = {}): ActiveRun => ({
  id: runId(id),
  status,
  trigger: 'message',
  origin: { delivery: here },
  ...more,
});
const waiting = (waitingOn: WaitingOn) => run('w', 'waiting', { waitingOn });
const onChildren = waiting({ kind: 'children', runs: ['x'], until: 'all' });
const onPlace = waiting({ kind: 'operation', operation: 'o' });
const running = run('r', 'running');
const queued = run('q', 'queued');
const cancelled = run('r', 'running', { cancelRequestedAt: 1 });
const ofCompletions = { trigger: 'completion' } as const;

const join = (id: string) => ({ kind: 'join', runId: id });
const resume = { kind: 'resume', runId: 'w' };
const fresh = { kind: 'new', cancel: [] };
const MODES: readonly QueueMode[] = ['steer', 'followup', 'collect', 'interrupt'];

const assign = (
  mode: QueueMode,
  active: readonly ActiveRun[],
  delivery: Delivery = here,
  trigger: Trigger = 'message',
) => assignInput({ trigger, delivery, mode }, active);

describe('LANE-07: which run takes a message in', () => {
  test.each(MODES)('nothing is active: a run of its own (%s)', (mode) => {
    expect(assign(mode, [])).toEqual(fresh);
  });

  test.each([
    ['steer', join('r')],
    ['followup', fresh],
    ['collect', fresh],
    ['interrupt', { kind: 'new', cancel: ['r'] }],
  ] as const)('a run is at work: %s', (mode, expected) => {
    expect(assign(mode, [running])).toEqual(expected);
  });

  test.each([
    ['steer', join('q')],
    ['followup', fresh],
    ['collect', join('q')],
    ['interrupt', join('q')],
  ] as const)('a run is queued: %s', (mode, expected) => {
    expect(assign(mode, [queued])).toEqual(expected);
  });

  test.each([
    ['steer', join('q')],
    ['followup', fresh],
    ['collect', join('q')],
    ['interrupt', { kind: 'new', cancel: ['r'] }],
  ] as const)('one is at work and one queued, which is not overtaken: %s', (mode, expected) => {
    expect(assign(mode, [running, queued])).toEqual(expected);
  });

  test('one is at work and a message for another place queued: that does not keep it from joining', () => {
    const elsewhere = run('q', 'queued', { origin: { delivery: thread } });
    expect(assign('steer', [running, elsewhere])).toEqual(join('r'));
  });

  test('of several queued ones the youngest takes it in', () => {
    expect(assign('collect', [run('p', 'queued'), queued])).toEqual(join('q'));
  });

  test.each([
    ['steer', join('q')],
    ['followup', fresh],
    ['collect', join('q')],
  ] as const)('one waits for subagents and one is queued, which is not overtaken: %s', (mode, expected) => {
    expect(assign(mode, [onChildren, queued])).toEqual(expected);
  });

  test('what is meant for the run at work overtakes', () => {
    const input = { trigger: 'message', delivery: here, mode: 'steer', overtakes: true } as const;
    expect(assignInput(input, [running, queued])).toEqual(join('r'));
    expect(assignInput(input, [onChildren, queued])).toEqual(resume);
  });

  test.each(MODES)('a run that waits for subagents goes on, whatever the mode (%s)', (mode) => {
    expect(assign(mode, [onChildren])).toEqual(resume);
    expect(assign(mode, [onChildren, queued], thread)).toEqual(resume);
  });

  test.each(MODES)('a run that waits for its place takes it in without being woken (%s)', (mode) => {
    expect(assign(mode, [onPlace])).toEqual(join('w'));
  });

  test.each(MODES)('a run that is being stopped takes nothing in (%s)', (mode) => {
    expect(assign(mode, [cancelled])).toEqual(fresh);
    expect(assign(mode, [{ ...onChildren, cancelRequestedAt: 1 }])).toEqual(fresh);
  });

  test.each(['steer', 'collect'] as const)('a message for another place never joins (%s)', (mode) => {
    expect(assign(mode, [running], thread)).toEqual(fresh);
    expect(assign(mode, [queued], thread)).toEqual(fresh);
  });

  test('a message does not join a queued announcement', () => {
    expect(assign('collect', [run('q', 'queued', ofCompletions)])).toEqual(fresh);
  });
});

describe('ANN-24: a completion never starts a competing turn', () => {
  test.each(MODES)('it waits behind the run at work and interrupts nothing (%s)', (mode) => {
    expect(assign(mode, [running], here, 'completion')).toEqual(fresh);
  });

  test('it joins the announcement that waits already, for the same place only', () => {
    const waits = run('q', 'queued', ofCompletions);
    expect(assign('collect', [running, waits], here, 'completion')).toEqual(join('q'));
    expect(assign('collect', [running, waits], thread, 'completion')).toEqual(fresh);
  });

  test('it resumes a requester that waits', () => {
    expect(assign('collect', [onChildren], internal, 'completion')).toEqual(resume);
  });
});

test.each([
  [here, here, true],
  [here, thread, false],
  [internal, internal, true],
  [internal, here, false],
])('deliveries are compared by place (%#)', (a, b, expected) => {
  expect(isSameDelivery(a, b)).toBe(expected);
  expect(isSameDelivery(b, a)).toBe(expected);
});
