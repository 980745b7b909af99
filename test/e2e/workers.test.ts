/**
 * A gateway that works on nothing itself, and workers beside it on the same state folder, without Redis: what one process
 * leaves undone another one does, and nobody in the chat can tell.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../adapters/sql/index.ts';
import type { SessionKey } from '../../src/core/ids.ts';
import type { Run } from '../../src/ports/store/index.ts';
import type { ChatBody, FakeModelServer, FakeReply } from '../fakes/model-server.ts';
import { textOf } from '../fakes/model-server.ts';
import { createModelHome } from '../support/model-home.ts';
import { type SkeinProcess, startSkein } from '../support/skein-process.ts';
import { databaseSettings } from '../support/sql-fixtures.ts';
import { until } from '../support/until.ts';
import { startWorker, type WorkerProcess } from '../support/worker-process.ts';

const GENERAL = 'agent:main:webchat:channel:general' as SessionKey;

interface OpenCall {
  readonly text: string;
  readonly body: ChatBody;
  answer(reply: FakeReply | string): void;
}

interface Team {
  readonly skein: SkeinProcess;
  readonly model: FakeModelServer;
  /** Calls whose text is asked to be held, oldest first. */
  readonly open: OpenCall[];
  /** The most calls that were ever open at once. */
  mostOpen(): number;
  startWorker(...args: readonly string[]): Promise<WorkerProcess>;
  /** The one open call with that text. */
  callOf(text: string, withinMs?: number): Promise<OpenCall>;
  /** Runs that have not ended. */
  active(): Promise<readonly Run[]>;
  /** Labels of the subagents of #general. */
  children(): Promise<readonly (string | undefined)[]>;
}

/** Messages that follow each other are given as one, each behind an empty line. */
const lastOf = (body: ChatBody) => textOf(body.messages.at(-1)?.content).split('\n\n').at(-1) ?? '';

/** Texts that begin with `hold` stay open; others are answered at once. */
async function startTeam(config: Record<string, unknown> = {}): Promise<Team> {
  const { home, env, model } = await createModelHome();
  const provider = { models: { providers: { openai: { baseUrl: model.baseUrl } } } };
  writeFileSync(
    join(home, 'skein.json5'),
    JSON.stringify({ messages: { queue: { debounceMs: 0 } }, ...config, ...provider }),
  );
  const open: OpenCall[] = [];
  let mostOpen = 0;
  model.reply((body) => {
    const text = lastOf(body);
    if (!text.startsWith('hold')) return { type: 'text', text: `re: ${text}` };
    return new Promise((resolve) => {
      const call: OpenCall = {
        text,
        body,
        answer(reply) {
          open.splice(open.indexOf(call), 1);
          resolve(typeof reply === 'string' ? { type: 'text', text: reply } : reply);
        },
      };
      open.push(call);
      mostOpen = Math.max(mostOpen, open.length);
    });
  });
  onTestFinished(() => {
    for (const call of [...open]) call.answer('the test is over');
  });
  const skein = await startSkein({ home, env, args: ['start', '--no-worker'] });
  const { store, close } = await openSqliteStore(databaseSettings(join(home, 'skein.db')));
  onTestFinished(close);
  return {
    skein,
    model,
    open,
    mostOpen: () => mostOpen,
    startWorker: (...args) => startWorker({ home, env, args }),
    callOf: (text, withinMs = 10_000) =>
      until(() => open.find((call) => call.text === text), {
        what: `a call with "${text}"`,
        withinMs,
        seen: () => open.map((call) => call.text),
      }),
    active: () => store.read.runs.allActive(100),
    children: async () => (await store.read.sessions.children(GENERAL)).map(({ label }) => label),
  };
}

const count = (texts: readonly string[], text: string) => texts.filter((one) => one === text).length;

test('LANE-05: without a worker a message waits, and a worker that comes later answers it', async () => {
  const team = await startTeam();
  const { runId } = await team.skein.say('hello');
  expect(await team.active()).toMatchObject([{ id: runId, status: 'queued' }]);
  await team.startWorker();
  await team.skein.waitForReply(/^re: hello$/);
  // From now on the worker is woken by the commit itself.
  await team.skein.say('again');
  await team.skein.waitForReply(/^re: again$/, undefined, 5_000);
  expect(team.model.violations).toEqual([]);
});

test('LANE-02, LANE-06: three workers together keep to the lane’s cap, and to one run of a session at a time, in order', async () => {
  const team = await startTeam({
    agents: { defaults: { maxConcurrent: 2 } },
    messages: { queue: { mode: 'followup' } },
  });
  const { skein, open } = team;
  await Promise.all([team.startWorker(), team.startWorker(), team.startWorker()]);
  const rooms = ['a', 'b', 'c', 'd'];
  for (let n = 1; n <= 3; n++) {
    for (const room of rooms) await skein.say(`hold ${room}${n}`, { conversation: room });
  }
  for (let answered = 0; answered < 12; answered++) {
    const expected = Math.min(2, 12 - answered);
    await until(() => open.length >= expected, { what: `${expected} calls at work` });
    const texts = open.map(({ text }) => text.slice('hold '.length, 'hold x'.length));
    expect(new Set(texts).size).toBe(open.length);
    open[0]!.answer(`re: ${open[0]!.text}`);
  }
  for (const room of rooms) {
    const expected = [1, 2, 3].map((n) => `re: hold ${room}${n}`);
    await skein.waitForReply(new RegExp(`${room}3$`), { conversation: room });
    expect(await skein.replies({ conversation: room })).toEqual(expected);
  }
  expect(team.mostOpen()).toBe(2);
  expect(team.model.violations).toEqual([]);
});

test('LANE-01: lanes can be served by workers of their own', async () => {
  const team = await startTeam();
  const { skein, model } = team;
  model.reply((body) => {
    if (textOf(body.messages[0]?.content).startsWith('You are a subagent'))
      return { type: 'text', text: 'found' };
    if (body.messages.at(-1)?.role === 'tool') return { type: 'text', text: 'started' };
    if (lastOf(body).includes('found')) return { type: 'text', text: 'told' };
    return { type: 'tool-calls', calls: [{ name: 'sessions_spawn', arguments: { task: 'look' } }] };
  });
  await team.startWorker('--lanes', 'main');
  await skein.say('go');
  await skein.waitForReply(/^started$/);
  expect(await team.active()).toMatchObject([{ lane: 'subagent', status: 'queued' }]);
  await team.startWorker('--lanes', 'subagent', '--concurrency', '1');
  await skein.waitForReply(/^told$/);
});

test('LANE-09, O9: a worker killed in the middle is replaced within 10 s, behind its last step, and what came meanwhile is answered', async () => {
  const team = await startTeam();
  const { skein } = team;
  const first = await team.startWorker();
  await skein.say('hold on');
  const call = await team.callOf('hold on');
  call.answer({
    type: 'tool-calls',
    calls: [{ name: 'sessions_spawn', arguments: { task: 'hold the errand', label: 'errand' } }],
  });
  team.model.reply((body) => {
    if (textOf(body.messages[0]?.content).startsWith('You are a subagent')) {
      return { type: 'text', text: 'found' };
    }
    if (body.messages.at(-1)?.role === 'tool') return new Promise(() => undefined);
    return { type: 'text', text: lastOf(body).includes('found') ? 'told' : `re: ${lastOf(body)}` };
  });
  const asked = () => team.model.requests.filter(({ body }) => body.messages.at(-1)?.role === 'tool');
  await until(() => asked().length === 1, { what: 'the step behind the tool call' });
  await first.kill();
  await skein.say('and this');
  await team.startWorker();
  await skein.waitForReply(/re: and this/, undefined, 12_000);
  await skein.waitForReply(/^told$/);
  const mainRequests = team.model.requests.filter(
    ({ body }) => !textOf(body.messages[0]?.content).startsWith('You are a subagent'),
  );
  const resumed = mainRequests.find(({ body }) => lastOf(body) === 'and this')!;
  expect(resumed.body.messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'user',
  ]);
  expect(await team.children()).toHaveLength(1);
  expect(count(await skein.replies(), 'told')).toBe(1);
  expect(team.model.violations).toEqual([]);
  expect(await team.active()).toEqual([]);
});

test('X1, X6: a whole tree of subagents goes on after its worker was killed, and each result is told once, one level up', async () => {
  const team = await startTeam({ agents: { defaults: { subagents: { maxSpawnDepth: 2 } } } });
  const { skein, model } = team;
  const spawn = (...tasks: string[]): FakeReply => ({
    type: 'tool-calls',
    calls: tasks.map((task, i) => ({
      id: `call_${i}`,
      name: 'sessions_spawn',
      arguments: { task, label: task },
    })),
  });
  const leaves = new Set(['one', 'two']);
  const waiting: (() => void)[] = [];
  model.reply((body) => {
    const text = textOf(body.messages.at(-1)?.content);
    if (body.messages.at(-1)?.role === 'tool') return { type: 'text', text: 'started' };
    const task = /\[Subagent Task\]\n(.+)$/.exec(text)?.[1] ?? '';
    if (task === 'middle') return spawn(...leaves);
    if (leaves.has(task)) {
      return new Promise((resolve) => waiting.push(() => resolve({ type: 'text', text: `found ${task}` })));
    }
    if (text.includes('found both')) return { type: 'text', text: 'told' };
    return text.includes('found') ? { type: 'text', text: 'found both' } : spawn('middle');
  });
  const first = await team.startWorker();
  await skein.say('go');
  await until(() => waiting.length === 2, { what: 'both leaves at work' });
  await until(async () => (await team.active()).some(({ status }) => status === 'waiting'), {
    what: 'the one in the middle to wait for them',
  });
  await first.kill();
  await team.startWorker();
  await until(() => waiting.length === 4, { what: 'both leaves to go on', withinMs: 12_000 });
  for (const answer of waiting) answer();
  await skein.waitForReply(/^told$/);
  await until(async () => (await team.active()).length === 0, { what: 'everything to end' });
  expect(await skein.replies()).toEqual(['started', 'told']);
  expect(await team.children()).toEqual(['middle']);
  expect(model.violations).toEqual([]);
});

test('STOP-01: a run in another process is stopped from the chat, and the next message is answered', async () => {
  const team = await startTeam();
  await team.startWorker();
  await team.skein.say('hold on');
  await team.callOf('hold on');
  await team.skein.say('/stop');
  await team.model.waitForHangUps(1, 5_000);
  await until(async () => (await team.active()).length === 0, { what: 'the run to end' });
  await team.skein.say('next');
  await team.skein.waitForReply(/^re: next$/);
  expect(await team.skein.replies()).toEqual(['Stopped the answer that was being worked out.', 're: next']);
});

test('LANE-09, X3: a run that kills its worker three times is given up with one note, others go on, and /resume takes it up', async () => {
  const team = await startTeam();
  const { skein } = team;
  const { runId } = await skein.say('hold the poison');
  for (let attempt = 1; attempt <= 3; attempt++) {
    const worker = await team.startWorker();
    await until(
      () => team.model.requests.filter(({ body }) => lastOf(body) === 'hold the poison').length === attempt,
      {
        what: `attempt ${attempt}`,
      },
    );
    await worker.kill();
  }
  await skein.say('hello', { conversation: 'elsewhere' });
  await team.startWorker();
  await skein.waitForReply(/^re: hello$/, { conversation: 'elsewhere' });
  await skein.waitForReply(/^I was interrupted three times/);
  const note = (await skein.messages()).find(({ card }) => card?.state === 'interrupted');
  expect(note?.card).toMatchObject({
    runId,
    actions: [
      { label: 'Resume', command: `/resume ${runId}` },
      { label: 'Drop', command: `/drop ${runId}` },
    ],
  });
  expect(await team.active()).toEqual([]);
  expect(team.model.requests.filter(({ body }) => lastOf(body) === 'hold the poison')).toHaveLength(3);
  await skein.say(`/resume ${runId}`);
  await skein.waitForReply(/^re: .*was interrupted/);
  await until(async () => (await skein.replies()).includes('This was interrupted and goes on.'), {
    what: 'the note to say so',
    seen: () => skein.replies(),
  });
  expect((await skein.replies()).filter((text) => text.startsWith('I was interrupted'))).toEqual([]);
});

test('B1: a worker that was frozen for longer than its lease can change nothing when it comes back', async () => {
  const team = await startTeam();
  const { skein } = team;
  const frozen = await team.startWorker();
  await skein.say('hold on');
  const late = await team.callOf('hold on');
  frozen.signal('SIGSTOP');
  const second = await team.startWorker();
  const inTime = await until(() => team.open.find((call) => call !== late), {
    what: 'the run to be taken over',
    withinMs: 15_000,
  });
  late.answer('the late answer');
  inTime.answer('the answer');
  await skein.waitForReply(/^the answer$/);
  await second.kill();
  frozen.signal('SIGCONT');
  // It works on, so it has dealt with what it was in the middle of.
  await skein.say('still there?');
  await skein.waitForReply(/^re: still there\?$/);
  expect(await skein.replies()).toEqual(['the answer', 're: still there?']);
  expect(await team.active()).toEqual([]);
});

test('O4: a run that takes longer than its lease keeps it, and no other process begins it', async () => {
  const team = await startTeam();
  await Promise.all([team.startWorker(), team.startWorker()]);
  await team.skein.say('hold on');
  const call = await team.callOf('hold on');
  const lease = async () => (await team.active())[0]?.leaseExpiresAt ?? 0;
  const first = await lease();
  await until(async () => Date.now() > first + 1_000 && (await lease()) > first, {
    what: 'the first lease to be over',
    withinMs: 20_000,
  });
  await team.skein.say('and this');
  expect(team.model.requests).toHaveLength(1);
  expect(await team.active()).toMatchObject([{ status: 'running', attempt: 1, fence: 1 }]);
  call.answer('one');
  await team.skein.waitForReply(/^one\n\nre: and this$/);
});

test('B6: a worker asked to end takes nothing new, finishes what it can, and gives the rest back; nothing comes twice', async () => {
  const team = await startTeam({ shutdown: { graceSeconds: 3 } });
  const { skein } = team;
  const first = await team.startWorker();
  await skein.say('hold short', { conversation: 'short' });
  await skein.say('hold long', { conversation: 'long' });
  const short = await team.callOf('hold short');
  await team.callOf('hold long');
  first.signal('SIGTERM');
  await skein.say('later', { conversation: 'later' });
  short.answer('short answer');
  await skein.waitForReply(/^short answer$/, { conversation: 'short' });
  expect(await first.endsWithin(8_000)).toBe(0);
  const active = await team.active();
  expect(active.map(({ status }) => status)).toEqual(['queued', 'queued']);
  expect(team.model.requests.filter(({ body }) => lastOf(body) === 'later')).toEqual([]);
  await team.startWorker();
  await skein.waitForReply(/^re: later$/, { conversation: 'later' });
  const again = await until(() => team.open.at(-1), { what: 'the long run to go on' });
  again.answer('long answer');
  await skein.waitForReply(/^long answer$/, { conversation: 'long' });
  await until(async () => (await team.active()).length === 0, { what: 'everything to end' });
  expect(await skein.replies({ conversation: 'short' })).toEqual(['short answer']);
  expect(await skein.replies({ conversation: 'long' })).toEqual(['long answer']);
});

test('B6: a second signal ends it at once, and another worker has the run right away', async () => {
  const team = await startTeam({ shutdown: { graceSeconds: 60 } });
  const first = await team.startWorker();
  await team.skein.say('hold on');
  const call = await team.callOf('hold on');
  first.signal('SIGTERM');
  await until(
    async () => {
      first.signal('SIGTERM');
      return (await first.endsWithin(200)) !== 'still there';
    },
    { what: 'the worker to end', withinMs: 5_000 },
  );
  await team.startWorker();
  const again = await until(() => team.open.find((one) => one !== call), {
    what: 'the run to be taken over',
    withinMs: 5_000,
  });
  again.answer('the answer');
  await team.skein.waitForReply(/^the answer$/);
  expect(await team.skein.replies()).toEqual(['the answer']);
});
