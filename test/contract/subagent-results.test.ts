/** How results of subagents come back: once, one level at a time, to whoever waits for them, and never to nobody. */
import { describe, expect, test } from 'vitest';
import type { RunId, SessionKey } from '../../src/core/ids.ts';
import { parseCompletionBlocks } from '../../src/core/prompt-blocks.ts';
import type { ModelRequest } from '../../src/ports/model.ts';
import type { Run } from '../../src/ports/store/index.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createScriptedModels, HOLD, isSubagent, lastText, type Script } from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp, type TestAppParts } from '../support/app.ts';
import { chatScript, taskOf } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';

const sessionOf = (conversation = 'general') => `agent:main:memory:channel:${conversation}` as SessionKey;
const GENERAL = sessionOf();

/** Waits for subagents as soon as they are spawned. */
const yielding =
  (args: Record<string, unknown> = {}): Script =>
  (request) => {
    const last = request.messages.at(-1)!;
    const hasSpawned = last.role === 'tool' && last.toolName === 'sessions_spawn' && !last.isError;
    return hasSpawned ? { calls: [{ name: 'sessions_yield', arguments: args }] } : chatScript(request);
  };

function start(
  script: Script = chatScript,
  subagents: Record<string, unknown> = {},
  parts: TestAppParts & { readonly defaults?: Record<string, unknown> } = {},
): Promise<TestApp> {
  const { defaults, ...rest } = parts;
  return startTestApp({
    models: createScriptedModels(script),
    ...rest,
    config: {
      agents: { defaults: { subagents: { maxChildrenPerAgent: 20, ...subagents }, ...defaults } },
      messages: { queue: { debounceMs: 0 } },
    },
  });
}

const heldCount = ({ models }: TestApp) => models.held().length;

/** The open call of the subagent with that task, once there is one. */
async function childCall(app: TestApp, task: string) {
  const find = () => app.models.held().find(({ request }) => taskOf(request) === task);
  await eventually(() => find() !== undefined).toBe(true);
  return find()!;
}

async function runOf({ read }: TestApp, label: string, above: SessionKey = GENERAL): Promise<Run> {
  const child = (await read.sessions.descendants(above)).find((session) => session.label === label);
  const [run] = child ? await read.runs.ofSession(child.key, 1) : [];
  if (!run) throw new Error(`there is no run of ${label}`);
  return run;
}

async function finish(app: TestApp, task: string, reply: Parameters<TestApp['models']['release']>[1]) {
  app.models.release(await childCall(app, task), reply);
}

const ownRuns = async ({ read }: TestApp) => [...(await read.runs.ofSession(GENERAL, 50))].reverse();
const announceOf = async (app: TestApp, run: RunId) => (await app.read.announces.get(run))?.status;

/** Completions in the transcript of the session, by label, in order. */
async function heard({ read }: TestApp, session = GENERAL): Promise<readonly string[]> {
  const entries = await read.entries.tail(session, 500);
  return entries.flatMap(({ content }) =>
    content.role === 'user' ? parseCompletionBlocks(content.text).map(({ label }) => label) : [],
  );
}

const toolResults = (request: ModelRequest, name: string) =>
  request.messages.flatMap((message) =>
    message.role === 'tool' && message.toolName === name ? [JSON.parse(message.result)] : [],
  );

describe('sessions_yield', () => {
  test('YIELD-01, YIELD-02: the turn ends, and what it waits for arrives as the next message of the same run', async () => {
    const app = await start(yielding());
    const { receipt } = await app.channel.say('spawn slow a, slow b');
    await eventually(async () => (await app.read.runs.active(GENERAL))[0]?.status).toBe('waiting');
    await finish(app, 'slow a', 'A');
    await eventually(() => heldCount(app)).toBe(1);
    expect(app.channel.texts()).toEqual([]);
    await finish(app, 'slow b', 'B');
    await eventually(() => app.channel.texts()).toEqual(['heard of slow a and slow b']);
    expect((await ownRuns(app)).map(({ id }) => id)).toEqual([
      receipt.status === 'admitted' ? receipt.runId : '',
    ]);
  });

  test('YIELD-03: the acknowledgment is shown at once, and the note comes back to the model alone', async () => {
    const app = await start(yielding({ acknowledgment: 'I am on it.', message: 'ask about the price' }));
    await app.channel.say('spawn slow a');
    await eventually(() => app.channel.texts()).toEqual(['I am on it.']);
    await finish(app, 'slow a', 'A');
    await eventually(() => app.channel.texts()).toEqual(['I am on it.', 'heard of slow a']);
    expect(JSON.stringify(app.models.calls.at(-1)!.request.messages)).toContain('ask about the price');
  });

  test('YIELD-04: with nothing to wait for it is refused and the turn goes on', async () => {
    const app = await start((request) =>
      request.messages.at(-1)?.role === 'user'
        ? { calls: [{ name: 'sessions_yield', arguments: {} }] }
        : lastText(request),
    );
    await app.channel.say('wait');
    await eventually(() => app.channel.texts()[0]).toContain('there is nothing to wait for');
  });

  test('YIELD-04: waiting again for the same subagents says already_pending, and waits', async () => {
    const app = await start((request) => {
      const last = request.messages.at(-1)!;
      const isAsked = last.role === 'user' && last.text === 'go on waiting';
      return isAsked ? { calls: [{ name: 'sessions_yield', arguments: {} }] } : yielding()(request);
    });
    await app.channel.say('spawn slow a');
    await eventually(async () => (await app.read.runs.active(GENERAL))[0]?.status).toBe('waiting');
    await app.channel.say('go on waiting');
    await eventually(async () => {
      const [run] = await app.read.runs.active(GENERAL);
      return `${run?.status} ${run?.step}`;
    }).toBe('waiting 3');
    await finish(app, 'slow a', 'A');
    await eventually(() => app.channel.texts()).toEqual(['heard of slow a']);
    const { id } = await runOf(app, 'slow a');
    expect(toolResults(app.models.calls.at(-1)!.request, 'sessions_yield')).toEqual([
      { status: 'yielded', pending: [id] },
      { status: 'already_pending', pending: [id] },
    ]);
  });

  test('YIELD-05: calls behind it in the same turn are not carried out, and other sessions have the place meanwhile', async () => {
    const app = await start(
      (request) => {
        const last = request.messages.at(-1)!;
        if (last.role !== 'tool' || last.toolName !== 'sessions_spawn') return chatScript(request);
        return {
          calls: [
            { name: 'sessions_yield', arguments: {} },
            { name: 'sessions_spawn', arguments: { task: 'late', label: 'late' } },
          ],
        };
      },
      {},
      { defaults: { maxConcurrent: 1 } },
    );
    await app.channel.say('spawn slow a');
    await eventually(async () => (await app.read.runs.active(GENERAL))[0]?.status).toBe('waiting');
    await app.channel.say('hello', { conversation: 'other' });
    await eventually(() => app.channel.texts()).toEqual(['re: hello']);
    await finish(app, 'slow a', 'A');
    await eventually(() => app.channel.texts()).toEqual(['re: hello', 'heard of slow a']);
    expect((await app.read.sessions.children(GENERAL)).map(({ label }) => label)).toEqual(['slow a']);
  });

  test('YIELD-06, NEST-07: a subagent that waits is not announced until it has really ended', async () => {
    const app = await start(yielding(), { maxSpawnDepth: 2 });
    await app.channel.say('spawn spawn slow below');
    await eventually(async () => (await runOf(app, 'spawn slow below')).status).toBe('waiting');
    expect(await announceOf(app, (await runOf(app, 'spawn slow below')).id)).toBeUndefined();
    expect(await heard(app)).toEqual([]);
    await finish(app, 'slow below', 'G');
    await eventually(() => app.channel.texts()).toEqual(['heard of spawn slow below']);
    expect(await heard(app)).toEqual(['spawn slow below']);
  });

  test('YIELD-01: until "any" goes on with the first result; the others are told when they come', async () => {
    const app = await start(yielding({ until: 'any' }));
    await app.channel.say('spawn slow a, slow b');
    await eventually(async () => (await app.read.runs.active(GENERAL))[0]?.status).toBe('waiting');
    await finish(app, 'slow b', 'B');
    await eventually(() => app.channel.texts()).toEqual(['heard of slow b']);
    await finish(app, 'slow a', 'A');
    await eventually(() => app.channel.texts()).toEqual(['heard of slow b', 'heard of slow a']);
  });

  test.each(['steer', 'followup', 'collect', 'interrupt'])(
    'YIELD-01: a person’s message (%s) resumes the run that waits; what it waited for is told later',
    async (mode) => {
      const app = await start(yielding());
      await app.channel.say(`/queue ${mode}`);
      const first = await app.channel.say('spawn slow a');
      await eventually(async () => (await app.read.runs.active(GENERAL))[0]?.status).toBe('waiting');
      expect((await app.channel.say('how far are you?')).receipt).toEqual(first.receipt);
      await eventually(() => app.channel.texts()).toEqual(['re: how far are you?']);
      await finish(app, 'slow a', 'A');
      await eventually(() => app.channel.texts()).toEqual(['re: how far are you?', 'heard of slow a']);
    },
  );

  test.each([chatScript, yielding()])(
    'LANE-08: with room for a single subagent, one that waits for its own does not keep it out',
    async (script) => {
      const app = await start(script, { maxSpawnDepth: 2, maxConcurrent: 1 });
      await app.channel.say('spawn spawn below');
      await eventually(() => app.channel.texts().at(-1)).toBe('heard of spawn below');
      expect(await app.read.runs.allActive(10)).toEqual([]);
    },
  );

  test('LANE-04: a full subagent lane does not hold up people', async () => {
    const app = await start(chatScript, { maxConcurrent: 1 });
    await app.channel.say('spawn slow a, slow b');
    await eventually(() => app.channel.texts()).toEqual(['started']);
    await app.channel.say('hello');
    await eventually(() => app.channel.texts()).toEqual(['started', 're: hello']);
    expect((await runOf(app, 'slow b')).status).toBe('queued');
  });
});

describe('nested', () => {
  test('R8, NEST-07, NEST-08: a result goes up one level at a time, and nobody sees what is not from a child of their own', async () => {
    const app = await start(chatScript, { maxSpawnDepth: 2 });
    await app.channel.say('spawn spawn slow below');
    await eventually(async () => (await runOf(app, 'spawn slow below')).status).toBe('waiting');
    await finish(app, 'slow below', 'G-RESULT');
    await eventually(() => app.channel.texts()).toEqual(['started', 'heard of spawn slow below']);
    const middle = await runOf(app, 'spawn slow below');
    expect(await heard(app, middle.sessionKey)).toEqual(['slow below']);
    expect(await heard(app)).toEqual(['spawn slow below']);
    const mainRequests = app.models.calls.filter(({ request }) => !isSubagent(request));
    expect(JSON.stringify(mainRequests.map(({ request }) => request))).not.toContain('G-RESULT');
    expect(await announceOf(app, (await runOf(app, 'slow below')).id)).toBe('suppressed');
    expect(await announceOf(app, middle.id)).toBe('delivered');
  });

  const MIDDLE = 'spawn slow one, slow two';

  /** A subagent at work on the first of its two results, while the second is still to come. */
  async function withBusyMiddle(spawn: Record<string, unknown> = {}) {
    const clock = createManualClock();
    const app = await start(
      (request) => {
        const isHearing = isSubagent(request) && parseCompletionBlocks(lastText(request)).length > 0;
        return isHearing ? HOLD : yielding({ until: 'any' })(request);
      },
      { maxSpawnDepth: 2 },
      { clock },
    );
    await app.channel.say('hello');
    await eventually(() => app.channel.texts()).toEqual(['re: hello']);
    await app.app.runTool('sessions_spawn', GENERAL, { task: MIDDLE, label: MIDDLE, ...spawn });
    await eventually(async () => (await runOf(app, MIDDLE)).status).toBe('waiting');
    await finish(app, 'slow one', 'ONE');
    const isHearing = () => app.models.held().find(({ request }) => lastText(request).includes('> ONE'));
    await eventually(() => isHearing() !== undefined).toBe(true);
    return { app, clock, middle: await runOf(app, MIDDLE), hearing: isHearing()! };
  }

  test('ANN-11, X6: a requester that failed and is gone leaves what it was told, and what is still to come, to its own', async () => {
    const { app, middle, hearing } = await withBusyMiddle();
    app.models.release(hearing, { failure: { class: 'auth', message: 'no' } });
    await eventually(async () => (await app.read.runs.get(middle.id))?.status).toBe('failed');
    await app.store.transaction((tx) => tx.sessions.update(middle.sessionKey, { archivedAt: 1 }, 1));
    await finish(app, 'slow two', 'TWO');
    await eventually(async () => [...(await heard(app))].sort()).toEqual(['slow one', 'slow two', MIDDLE]);
    await eventually(() => app.read.runs.allActive(10)).toEqual([]);
    for (const task of ['slow one', 'slow two']) {
      const { id } = await runOf(app, task);
      await eventually(() => announceOf(app, id)).toBe('delivered');
    }
  });

  test('X6: a subagent that failed before it could tell of its own leaves their results to whoever is above', async () => {
    const app = await start(
      (request) =>
        isSubagent(request) && parseCompletionBlocks(lastText(request)).length > 0
          ? { failure: { class: 'auth', message: 'no' } }
          : chatScript(request),
      { maxSpawnDepth: 2 },
    );
    await app.channel.say('spawn spawn slow below');
    await eventually(async () => (await runOf(app, 'spawn slow below')).status).toBe('waiting');
    await finish(app, 'slow below', 'G-RESULT');
    await eventually(async () => [...(await heard(app))].sort()).toEqual(['slow below', 'spawn slow below']);
    await eventually(() => app.read.runs.allActive(10)).toEqual([]);
    await eventually(async () => announceOf(app, (await runOf(app, 'slow below')).id)).toBe('delivered');
  });

  test('X6: a requester that ran out of time still hears of what is to come, and what it makes of it goes up', async () => {
    const { app, clock, middle } = await withBusyMiddle({ runTimeoutSeconds: 60 });
    clock.advance(60_000);
    await eventually(async () => (await app.read.runs.get(middle.id))?.status).toBe('timed_out');
    await finish(app, 'slow two', 'TWO');
    await eventually(() => heldCount(app)).toBe(1);
    app.models.release(app.models.held()[0]!, 'TWO IS ENOUGH');
    await eventually(() => heard(app)).toEqual(['slow one', MIDDLE, MIDDLE]);
    await eventually(() => app.read.runs.allActive(10)).toEqual([]);
    await eventually(() => app.channel.texts().at(-1)).toContain(MIDDLE);
  });
});

describe('L3: of N subagents each is told, whatever the order in which they end', () => {
  const orders: readonly (readonly number[])[] = [
    [0],
    [0, 1],
    [1, 0],
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
    [3, 0, 2, 1],
  ];
  const names = (count: number) => Array.from({ length: count }, (_, i) => `slow ${'abcdefgh'[i]}`);

  async function expectAllTold(app: TestApp, tasks: readonly string[]): Promise<void> {
    expect([...(await heard(app))].sort()).toEqual([...tasks]);
    for (const task of tasks) {
      const { id } = await runOf(app, task);
      await eventually(() => announceOf(app, id)).toBe('delivered');
    }
    expect(await app.read.runs.allActive(50)).toEqual([]);
  }

  test.each(orders.map((order) => [order.join(', '), order] as const))(
    'one after the other (%s), with one synthesis of whoever waits',
    async (_, order) => {
      const app = await start(yielding());
      const tasks = names(order.length);
      await app.channel.say(`spawn ${tasks.join(', ')}`);
      for (const at of order) {
        await finish(app, tasks[at]!, `result ${at}`);
        await eventually(async () => (await runOf(app, tasks[at]!)).status).toBe('succeeded');
      }
      const words = order.map((at) => tasks[at]).join(' and ');
      await eventually(() => app.channel.texts()).toEqual([`heard of ${words}`]);
      await expectAllTold(app, tasks);
    },
  );

  test.each([1, 2, 3, 4, 8])('%i at the same instant, with one synthesis of whoever waits', async (count) => {
    const app = await start(yielding());
    const tasks = names(count);
    await app.channel.say(`spawn ${tasks.join(', ')}`);
    await eventually(() => heldCount(app)).toBe(count);
    for (const call of app.models.held()) app.models.release(call, 'done');
    await eventually(() => app.channel.texts().length).toBe(1);
    await eventually(() => app.read.runs.allActive(50)).toEqual([]);
    expect(app.channel.texts()).toHaveLength(1);
    await expectAllTold(app, tasks);
  });

  test.each([2, 8])('%i that end before anybody waits are in the one synthesis too', async (count) => {
    const tasks = names(count).map((name) => name.replace('slow ', 'quick '));
    const app = await start(yielding());
    await app.channel.say(`spawn ${tasks.join(', ')}`);
    await eventually(() => app.channel.texts().length).toBe(1);
    await eventually(() => app.read.runs.allActive(50)).toEqual([]);
    expect(app.channel.texts()).toHaveLength(1);
    await expectAllTold(app, tasks);
  });

  test('8 at the same instant that nobody waits for: each is told once', async () => {
    const app = await start();
    const tasks = names(8);
    await app.channel.say(`spawn ${tasks.join(', ')}`);
    await eventually(() => app.channel.texts()).toEqual(['started']);
    await eventually(() => heldCount(app)).toBe(8);
    for (const call of app.models.held()) app.models.release(call, 'done');
    await eventually(async () => (await heard(app)).length).toBe(8);
    await eventually(() => app.read.runs.allActive(50)).toEqual([]);
    await expectAllTold(app, tasks);
    const told = app.channel.texts().slice(1).join(' and ');
    for (const task of tasks) expect(told.split(task)).toHaveLength(2);
  });
});

test('D1: a subagent that ends while its requester is busy is told once, although people write meanwhile', async () => {
  const app = await start();
  await app.channel.say('spawn slow child');
  await eventually(() => app.channel.texts()).toEqual(['started']);
  await app.channel.say('slow question');
  await eventually(() => heldCount(app)).toBe(2);
  await finish(app, 'slow child', 'CHILD-RESULT');
  await eventually(async () => (await app.read.runs.active(GENERAL)).length).toBe(2);
  app.models.release(app.models.held()[0]!, 'the answer');
  await eventually(() => app.channel.texts()).toContain('the answer');
  await app.channel.say('later');
  await eventually(() => app.channel.texts().length).toBe(4);
  expect([...app.channel.texts()].sort()).toEqual([
    'heard of slow child',
    're: later',
    'started',
    'the answer',
  ]);
  expect(await heard(app)).toEqual(['slow child']);
  expect(await announceOf(app, (await runOf(app, 'slow child')).id)).toBe('delivered');
});

test('D2: the words of a subagent without a thread are not posted beside their announcement', async () => {
  const app = await start((request) =>
    taskOf(request) === 'child' ? '**bold** _result_\n\n- one' : chatScript(request),
  );
  await app.channel.say('spawn child');
  await eventually(() => app.channel.texts()).toEqual(['started', 'heard of child']);
  await eventually(() => app.read.runs.allActive(50)).toEqual([]);
  expect(app.channel.messages).toHaveLength(2);
});

describe('silence', () => {
  const silent = (token: string): Script => {
    return (request) => {
      if (isSubagent(request)) return chatScript(request);
      return parseCompletionBlocks(lastText(request)).length > 0 ? token : chatScript(request);
    };
  };

  test('ANN-25: NO_REPLY of the announcing turn posts nothing and settles the obligation', async () => {
    const app = await start(silent('NO_REPLY'));
    await app.channel.say('spawn quick');
    await eventually(() => heard(app)).toEqual(['quick']);
    await eventually(() => app.read.runs.allActive(50)).toEqual([]);
    await eventually(() => app.channel.texts()).toEqual(['started']);
    expect(await announceOf(app, (await runOf(app, 'quick')).id)).toBe('suppressed');
  });

  test('ANN-03: ANNOUNCE_SKIP of a subagent posts nothing and costs no turn', async () => {
    const app = await start((request) =>
      taskOf(request) === undefined ? chatScript(request) : 'ANNOUNCE_SKIP',
    );
    await app.channel.say('spawn quick');
    await eventually(async () => announceOf(app, (await runOf(app, 'quick')).id)).toBe('suppressed');
    await eventually(() => app.read.runs.allActive(50)).toEqual([]);
    expect(await heard(app)).toEqual([]);
    await eventually(() => app.channel.texts()).toEqual(['started']);
  });

  test('ANN-03: whoever waits for it is not left waiting', async () => {
    const app = await start((request) => (taskOf(request) === undefined ? yielding()(request) : HOLD));
    await app.channel.say('spawn quick');
    await eventually(async () => (await app.read.runs.active(GENERAL))[0]?.status).toBe('waiting');
    await finish(app, 'quick', 'ANNOUNCE_SKIP');
    await eventually(() => app.channel.texts()).toEqual(['heard of quick']);
  });
});

describe('L1: the requester’s model cannot put it into words', () => {
  const refusing: Script = (request) =>
    !isSubagent(request) && parseCompletionBlocks(lastText(request)).length > 0
      ? { failure: { class: 'auth', message: 'no' } }
      : chatScript(request);

  test('the result itself is posted, once, with its status', async () => {
    const app = await start(refusing);
    await app.channel.say('spawn slow child');
    await finish(app, 'slow child', 'CHILD-RESULT');
    await eventually(() => app.channel.texts().length).toBe(2);
    expect(app.channel.texts()[1]).toMatch(/Status: completed successfully\n+Result: CHILD-RESULT/);
    const { id } = await runOf(app, 'slow child');
    await eventually(() => announceOf(app, id)).toBe('delivered');
    expect(await app.read.runs.allActive(10)).toEqual([]);
    expect(app.channel.messages).toHaveLength(2);
  });

  test('in the thread that it was asked for in, and nowhere else', async () => {
    const app = await start(refusing);
    const thread = app.channel.openPlainThread();
    await app.channel.say('spawn slow child', { thread });
    await finish(app, 'slow child', 'CHILD-RESULT');
    await eventually(() => app.channel.texts(thread).length).toBe(2);
    expect(app.channel.texts(thread)[1]).toContain('CHILD-RESULT');
    expect(app.channel.texts()).toEqual([]);
  });

  test('only after three attempts, when the failure may pass', async () => {
    const clock = createManualClock();
    let attempts = 0;
    const app = await start(
      (request) => {
        if (isSubagent(request) || parseCompletionBlocks(lastText(request)).length === 0)
          return chatScript(request);
        attempts++;
        return { failure: { class: 'overload', message: 'busy' } };
      },
      {},
      { clock },
    );
    await app.channel.say('spawn quick');
    await eventually(() => {
      clock.advance(500);
      return app.channel.texts().length;
    }).toBe(2);
    expect(attempts).toBe(3);
    expect(app.channel.texts()[1]).toContain('re: quick');
  });
});

test('O6: 20 subagents that end at once while their requester answers somebody are all told, and the answer is given', async () => {
  const tasks = Array.from({ length: 20 }, (_, i) => `slow ${i + 1}`);
  const app = await start(chatScript, { maxConcurrent: 20 });
  await app.channel.say(`spawn ${tasks.join(', ')}`);
  await eventually(() => app.channel.texts()).toEqual(['started']);
  await app.channel.say('slow question');
  await eventually(() => heldCount(app)).toBe(21);
  const children = app.models.held().filter(({ request }) => isSubagent(request));
  for (const call of children) app.models.release(call, 'done');
  await eventually(async () => {
    const active = await app.read.runs.allActive(50);
    return active.filter(({ lane }) => lane === 'subagent');
  }).toEqual([]);
  app.models.release(app.models.held()[0]!, 'the answer');
  await eventually(() => app.read.runs.allActive(50)).toEqual([]);
  expect(app.channel.texts()).toContain('the answer');
  expect(new Set(await heard(app))).toEqual(new Set(tasks));
  expect(await heard(app)).toHaveLength(20);
  for (const task of tasks) {
    const { id, status } = await runOf(app, task);
    expect(status).toBe('succeeded');
    await eventually(() => announceOf(app, id)).toBe('delivered');
  }
  expect(app.channel.texts().join()).not.toMatch(/lock/i);
});

describe('timeouts', () => {
  const spawnTimed = (app: TestApp, task: string, seconds: number) =>
    app.app.runTool('sessions_spawn', GENERAL, { task, label: task, runTimeoutSeconds: seconds });

  async function greeted(script: Script, subagents: Record<string, unknown> = {}) {
    const clock = createManualClock();
    const app = await start(script, subagents, { clock });
    await app.channel.say('hello');
    await eventually(() => app.channel.texts()).toEqual(['re: hello']);
    return { app, clock };
  }

  test('a run that is over its time is stopped, and its requester is told that it was', async () => {
    const { app, clock } = await greeted(chatScript);
    await spawnTimed(app, 'slow child', 60);
    const call = await childCall(app, 'slow child');
    clock.advance(59_999);
    expect(call.state).toBe('held');
    clock.advance(1);
    await eventually(() => app.channel.texts().at(-1)).toBe('heard of slow child');
    expect((await runOf(app, 'slow child')).status).toBe('timed_out');
    expect(JSON.stringify(app.models.calls.at(-1)!.request.messages)).toContain('status: timeout');
  });

  test('time in the queue does not count', async () => {
    const { app, clock } = await greeted(chatScript, { maxConcurrent: 1 });
    await spawnTimed(app, 'slow first', 0);
    await childCall(app, 'slow first');
    await spawnTimed(app, 'slow second', 60);
    clock.advance(3_600_000);
    await finish(app, 'slow first', 'done');
    const call = await childCall(app, 'slow second');
    clock.advance(59_000);
    expect(call.state).toBe('held');
    await finish(app, 'slow second', 'done');
    await eventually(async () => (await runOf(app, 'slow second')).status).toBe('succeeded');
  });

  test('time in which it waits for its own subagents does not count, and what was left before still holds', async () => {
    const { app, clock } = await greeted(
      (request) => {
        if (taskOf(request) === 'parent') return HOLD;
        return isSubagent(request) && parseCompletionBlocks(lastText(request)).length > 0
          ? HOLD
          : yielding()(request);
      },
      { maxSpawnDepth: 2 },
    );
    await spawnTimed(app, 'parent', 60);
    const parent = await childCall(app, 'parent');
    clock.advance(40_000);
    app.models.release(parent, {
      calls: [{ name: 'sessions_spawn', arguments: { task: 'slow below', label: 'slow below' } }],
    });
    await eventually(async () => (await runOf(app, 'parent')).status).toBe('waiting');
    expect((await runOf(app, 'parent')).remainingMs).toBe(20_000);
    clock.advance(3_600_000);
    await finish(app, 'slow below', 'G');
    await eventually(async () => (await runOf(app, 'parent')).status).toBe('running');
    await eventually(() => heldCount(app)).toBe(1);
    clock.advance(19_999);
    expect(app.models.held()).toHaveLength(1);
    clock.advance(1);
    await eventually(async () => (await runOf(app, 'parent')).status).toBe('timed_out');
  });

  test('time in which nothing runs at all does not count', async () => {
    const { app, clock } = await greeted(chatScript);
    await spawnTimed(app, 'slow child', 60);
    await childCall(app, 'slow child');
    clock.advance(45_000);
    await app.stop();
    expect((await runOfStopped(app)).remainingMs).toBe(15_000);
    clock.advance(3_600_000);
    const again = await start(chatScript, {}, { clock, after: app });
    const call = await childCall(again, 'slow child');
    clock.advance(14_999);
    expect(call.state).toBe('held');
    clock.advance(1);
    await eventually(async () => (await runOf(again, 'slow child')).status).toBe('timed_out');
  });

  /** What a stopped application has left in its store, read by one that works on nothing. */
  async function runOfStopped(app: TestApp): Promise<Run> {
    const reader = await startTestApp({ after: app, clock: createManualClock(), worksItself: false });
    const run = await runOf(reader, 'slow child');
    await reader.stop();
    return run;
  }
});

test('X1: what was queued, at work and being waited for goes on after a restart, and each is told once', async () => {
  const app = await start(yielding(), { maxSpawnDepth: 2, maxConcurrent: 2 });
  await app.channel.say('spawn spawn slow below, slow second, third');
  await eventually(async () => (await app.read.runs.active(GENERAL))[0]?.status).toBe('waiting');
  await eventually(() => heldCount(app)).toBe(2);
  await app.stop();
  const again = await start(yielding(), { maxSpawnDepth: 2, maxConcurrent: 2 }, { after: app });
  await finish(again, 'slow second', 'two');
  await finish(again, 'slow below', 'three');
  await eventually(() => again.channel.texts().length).toBe(1);
  expect([...(await heard(again))].sort()).toEqual(['slow second', 'spawn slow below', 'third']);
  await eventually(() => again.read.runs.allActive(10)).toEqual([]);
});
