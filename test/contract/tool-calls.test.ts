/** Tools that misbehave: whatever one does, the run goes on or ends, and nothing with an outside effect is repeated. */
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createEmbeddedRunQueue, createInProcessLive } from '../../adapters/embedded/index.ts';
import { createCommit } from '../../src/commit.ts';
import { toolCallKey } from '../../src/core/ids.ts';
import type { ToolCallRow } from '../../src/ports/store/index.ts';
import { createToolCaller } from '../../src/runs/call-tools.ts';
import type { OutsideTool, Toolbox } from '../../src/runs/tool.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/silent-log.ts';
import { keyOf, newRun, newSession, openTemporaryStore } from '../support/sql-fixtures.ts';

type Effect = OutsideTool['effect'];

/** A run at work on the calls of one tool, which does what `call` does. */
async function atWork(call: OutsideTool['call'], effect: Effect = 'outside', count = 1) {
  const fixture = await openTemporaryStore();
  onTestFinished(() => fixture.remove());
  const clock = createManualClock();
  const log = silentLog;
  const commit = createCommit(
    fixture.store,
    createEmbeddedRunQueue({ log }),
    createInProcessLive({ log }),
    log,
  );
  const tool: OutsideTool = { name: 'press', description: 'Presses.', schema: z.object({}), effect, call };
  const toolbox: Toolbox = {
    get: (name) =>
      name === tool.name ? { tool, forModel: { name, description: '', parameters: {} } } : undefined,
    offeredTo: () => [],
    isAllowed: () => true,
  };
  const claim = {
    sessionKey: keyOf('a'),
    lane: 'main',
    cap: 1,
    owner: 'me',
    leaseMs: 10_000,
    now: 1,
  } as const;
  const { run, session } = await commit(async (tx) => {
    const made = await tx.sessions.ensure(newSession('a'));
    await tx.runs.insert(newRun('run_1', 'a'), 1);
    return { session: made, run: (await tx.runs.claim(claim))! };
  });
  const calls = Array.from(
    { length: count },
    (_, index): ToolCallRow => ({
      key: toolCallKey(run.id, 0, index),
      runId: run.id,
      sessionKey: run.sessionKey,
      step: 0,
      index,
      callId: `call_${index}`,
      name: 'press',
      arguments: {},
      status: 'pending',
    }),
  );
  await commit((tx) => tx.toolCalls.insert(calls));
  const stop = new AbortController();
  const callTools = createToolCaller({ commit, toolbox, clock, log });
  const carryOut = async (rows: readonly ToolCallRow[] = calls) => {
    const turn = await callTools({
      run,
      session,
      calls: rows,
      signal: stop.signal,
      onProgress: () => undefined,
    });
    return turn.entries.map(({ content }) => (content.role === 'toolResult' ? content.result : content));
  };
  return { carryOut, stop, clock, unfinished: () => fixture.store.read.toolCalls.unfinished(run.id) };
}

const never = () => new Promise<never>(() => undefined);

test('a tool that throws is answered as failed, and the calls behind it are carried out', async () => {
  let count = 0;
  const { carryOut, unfinished } = await atWork(
    async () => {
      if (count++ === 0) throw new Error('the button is stuck');
      return { result: 'pressed' };
    },
    'outside',
    2,
  );
  expect(await carryOut()).toEqual([
    { status: 'error', error: 'the tool failed: the button is stuck' },
    'pressed',
  ]);
  expect(await unfinished()).toEqual([]);
});

test('a tool that never returns is given up after ten minutes, told to stop, and answered as unknown', async () => {
  let given: AbortSignal | undefined;
  const { carryOut, clock } = await atWork((_args, _caller, signal) => {
    given = signal;
    return never();
  });
  const results = carryOut();
  await eventually(() => given !== undefined).toBe(true);
  clock.advance(10 * 60_000 - 1);
  expect(given!.aborted).toBe(false);
  clock.advance(1);
  expect(await results).toEqual([
    { status: 'error', error: 'the tool failed: no answer within 10 minutes; its outcome is unknown' },
  ]);
  expect(given!.aborted).toBe(true);
});

test.each([
  ['never returns', never],
  [
    'rejects when it is stopped',
    (_args: unknown, _caller: unknown, signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  ],
] as const)(
  'O9: a stopped run does not wait for a tool that %s, and its outcome stays unknown',
  async (_, call) => {
    let isCalled = false;
    const { carryOut, stop, unfinished } = await atWork(
      (args, caller, signal) => {
        isCalled = true;
        return call(args, caller, signal);
      },
      'outside',
      2,
    );
    const results = carryOut();
    await eventually(() => isCalled).toBe(true);
    stop.abort();
    expect(await results).toEqual([]);
    expect((await unfinished()).map(({ status }) => status)).toEqual(['started', 'pending']);
  },
);

test('LANE-09: a call that was begun before a crash is not repeated, one that was not begun is', async () => {
  let presses = 0;
  const { carryOut, stop, unfinished } = await atWork(
    () => {
      presses++;
      return never();
    },
    'outside',
    2,
  );
  const first = carryOut();
  await eventually(() => presses).toBe(1);
  stop.abort();
  await first;
  const left = await unfinished();
  const again = await atWork(async () => ({ result: 'pressed' }));
  const [unknown, pressed] = await again.carryOut(left);
  expect(unknown).toMatchObject({ status: 'error', error: expect.stringContaining('outcome unknown') });
  expect(pressed).toBe('pressed');
});

test('LANE-09: an idempotent call that was begun before a crash is repeated', async () => {
  const { carryOut, unfinished } = await atWork(async () => ({ result: 'read' }), 'idempotent');
  const [row] = await unfinished();
  expect(await carryOut([{ ...row!, status: 'started' }])).toEqual(['read']);
});
