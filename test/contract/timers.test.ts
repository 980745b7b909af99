/** Deadlines: never early, once at their time, however far away, whatever the clock does and however many look at it. */
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEmbeddedRunQueue, createInProcessLive } from '../../adapters/embedded/index.ts';
import { openSqliteStore } from '../../adapters/sql/index.ts';
import { createCommit } from '../../src/commit.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createSettings } from '../../src/config/settings.ts';
import type { SessionKey } from '../../src/core/ids.ts';
import { createRecover } from '../../src/runs/recover.ts';
import { archiveDue } from '../../src/subagents/archive.ts';
import { expireBindings } from '../../src/threads/expire.ts';
import { createManualClock, type ManualClock } from '../fakes/manual-clock.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { createSteppingClock } from '../fakes/stepping-clock.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';
import { silentLog } from '../support/silent-log.ts';
import { databaseSettings } from '../support/sql-fixtures.ts';

const GENERAL = 'agent:main:memory:channel:general' as SessionKey;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

async function greeted(clock: ManualClock, subagents: Record<string, unknown> = {}): Promise<TestApp> {
  const app = await startTestApp({
    clock,
    models: createScriptedModels(chatScript),
    config: { agents: { defaults: { subagents } } },
  });
  await app.channel.say('hello');
  await eventually(() => app.channel.texts()).toEqual(['re: hello']);
  return app;
}

/** A subagent in a thread of its own; resolves with the thread. */
async function spawnThread(app: TestApp, task: string, more: Record<string, unknown> = {}): Promise<string> {
  await app.app.runTool('sessions_spawn', GENERAL, { task, label: 'child', thread: true, ...more });
  await eventually(async () => (await childRun(app))?.status ?? 'none').toMatch(/running|succeeded/);
  return app.channel.threads[0]!.id;
}

async function childRun({ read }: TestApp) {
  const [child] = await read.sessions.children(GENERAL);
  return child && (await read.runs.ofSession(child.key, 1))[0];
}

async function binding(app: TestApp) {
  const run = await childRun(app);
  return run && (await app.read.bindings.ofSession(run.sessionKey)).at(0);
}

/** Time goes on by that much, and every sweep that follows has been done. */
async function pass(app: TestApp, clock: ManualClock, ms: number): Promise<void> {
  clock.advance(ms);
  for (let sweep = 0; sweep < 3; sweep++) {
    for (let turn = 0; turn < 20; turn++) {
      await app.read.runs.allActive(1);
      await new Promise(setImmediate);
    }
    clock.advance(500);
  }
}

const endings = ({ channel }: TestApp, thread: string) =>
  channel.texts(thread).filter((text) => /no longer|ended|unfocused|released|over/i.test(text));

describe('T3: times beyond 2^31 ms', () => {
  test('a run timeout of 30 days and a max-age of 30 days come at their time, once, and not before', async () => {
    const clock = createManualClock();
    const app = await greeted(clock);
    const thread = await spawnThread(app, 'slow child', { runTimeoutSeconds: 2_592_000 });
    const idle = await app.channel.say('/session idle off', { thread });
    const age = await app.channel.say('/session max-age 30d', { thread });
    expect([idle, age].map(({ receipt }) => receipt.status)).toEqual(['command', 'command']);
    for (const ms of [HOUR, 24.8 * DAY, DAY, 4 * DAY]) {
      await pass(app, clock, ms);
      expect((await childRun(app))!.status).toBe('running');
      expect(await binding(app)).toBeDefined();
    }
    expect(app.models.calls).toHaveLength(2);
    await pass(app, clock, DAY);
    await eventually(async () => (await childRun(app))!.status).toBe('timed_out');
    await eventually(() => binding(app)).toBeUndefined();
    const texts = [...app.channel.texts(thread)];
    await pass(app, clock, 40 * DAY);
    expect(app.channel.texts(thread)).toEqual(texts);
  });

  test('an idle limit of 60 days is counted from the last message or reply', async () => {
    const clock = createManualClock();
    const app = await greeted(clock);
    const thread = await spawnThread(app, 'quick');
    await app.channel.say('/session idle 60d', { thread });
    await pass(app, clock, 59 * DAY);
    expect(await binding(app)).toBeDefined();
    await app.channel.say('still here', { thread });
    await eventually(() => app.channel.texts(thread)).toContain('re: still here');
    await pass(app, clock, 59 * DAY);
    expect(await binding(app)).toBeDefined();
    const before = app.channel.texts(thread).length;
    await pass(app, clock, DAY);
    await eventually(() => binding(app)).toBeUndefined();
    await eventually(() => app.channel.texts(thread).length).toBe(before + 1);
  });

  test('no timeout is none', async () => {
    const clock = createManualClock();
    const app = await greeted(clock);
    await app.app.runTool('sessions_spawn', GENERAL, { task: 'slow child', runTimeoutSeconds: 0 });
    await eventually(() => app.models.held().length).toBe(1);
    await pass(app, clock, 400 * DAY);
    expect(app.models.held()).toHaveLength(1);
    expect(app.models.calls).toHaveLength(2);
  });
});

describe('a clock that is set', () => {
  test.each([
    ['forward', HOUR],
    ['back', -HOUR],
  ])('%s by an hour: a run at work goes on undisturbed, and is answered once', async (_, ms) => {
    const clock = createSteppingClock();
    const app = await greeted(clock);
    await app.channel.say('slow question');
    await eventually(() => app.models.held().length).toBe(1);
    clock.step(ms);
    await pass(app, clock, 30_000);
    expect(app.models.calls).toHaveLength(2);
    expect(await app.read.runs.active(GENERAL)).toMatchObject([{ status: 'running', attempt: 1 }]);
    app.models.release(app.models.held()[0]!, 'the answer');
    await eventually(() => app.channel.texts()).toEqual(['re: hello', 'the answer']);
    await app.channel.say('next');
    await eventually(() => app.channel.texts().at(-1)).toBe('re: next');
  });

  test.each([
    ['forward', HOUR],
    ['back', -HOUR],
  ])('%s by an hour: a run has all of its time, and no more', async (_, ms) => {
    const clock = createSteppingClock();
    const app = await greeted(clock);
    await app.app.runTool('sessions_spawn', GENERAL, { task: 'slow child', runTimeoutSeconds: 60 });
    await eventually(() => app.models.held().length).toBe(1);
    clock.step(ms);
    await pass(app, clock, 50_000);
    expect((await childRun(app))!.status).toBe('running');
    await pass(app, clock, 10_000);
    await eventually(async () => (await childRun(app))!.status).toBe('timed_out');
  });

  test('O4: a machine that slept through a lease goes on with its run', async () => {
    const clock = createManualClock();
    const app = await greeted(clock);
    await app.channel.say('slow question');
    await eventually(() => app.models.held().length).toBe(1);
    await pass(app, clock, 8 * HOUR);
    expect(app.models.calls).toHaveLength(2);
    app.models.release(app.models.held()[0]!, 'the answer');
    await eventually(() => app.channel.texts()).toEqual(['re: hello', 'the answer']);
  });
});

describe('two processes on one store carry out once', () => {
  /** What a second process would do at its next sweep. */
  async function secondProcess(app: TestApp, clock: ManualClock) {
    const { store, close } = await openSqliteStore(databaseSettings(join(app.home, 'skein.db')));
    onTestFinished(close);
    const log = silentLog;
    const commit = createCommit(store, createEmbeddedRunQueue({ log }), createInProcessLive({ log }), log);
    const { config } = loadConfig({
      cwd: app.folder,
      env: { SKEIN_HOME: app.home },
      home: app.folder,
      flags: {},
    });
    const settings = createSettings(config, 2);
    const { read } = store;
    const parts = { commit, read, isOwnerAlive: () => true, isAtWork: () => false, clock, log };
    return {
      read,
      expire: () => expireBindings(read, commit, settings, clock),
      archive: () => archiveDue(read, commit, settings, clock),
      freeExpired: () => createRecover(parts).freeExpired(),
    };
  }

  test('the end of a binding, with one notice', async () => {
    const clock = createManualClock();
    const app = await greeted(clock);
    const thread = await spawnThread(app, 'quick');
    await app.channel.say('/session idle 1h', { thread });
    await eventually(() => app.channel.texts(thread)).toContain('re: quick');
    const other = await secondProcess(app, clock);
    const before = app.channel.texts(thread).length;
    clock.advance(2 * HOUR);
    await Promise.all([other.expire(), other.expire(), pass(app, clock, 0)]);
    await eventually(() => binding(app)).toBeUndefined();
    await pass(app, clock, 1_000);
    expect(app.channel.texts(thread)).toHaveLength(before + 1);
    expect(endings(app, thread)).toHaveLength(1);
  });

  test('the archiving of a session', async () => {
    const clock = createManualClock();
    const app = await greeted(clock);
    await app.channel.say('spawn quick');
    await eventually(() => app.channel.texts()).toContain('heard of quick');
    await eventually(async () => {
      const run = await childRun(app);
      return run && (await app.read.announces.get(run.id))?.status;
    }).toBe('delivered');
    const other = await secondProcess(app, clock);
    clock.advance(2 * HOUR);
    await Promise.all([other.archive(), other.archive(), pass(app, clock, 0)]);
    const [child] = await app.read.sessions.descendants(GENERAL);
    expect(child?.archivedAt).toBeDefined();
    expect(await other.read.sessions.dueForArchive(clock.now(), 10)).toEqual([]);
  });

  test('LANE-09: the freeing of a run whose owner has gone silent', async () => {
    const clock = createManualClock();
    const app = await greeted(clock);
    await app.app.runTool('sessions_spawn', GENERAL, { task: 'slow child' });
    await eventually(() => app.models.held().length).toBe(1);
    const run = (await childRun(app))!;
    const [one, two] = [await secondProcess(app, clock), await secondProcess(app, clock)];
    await app.store.transaction((tx) => tx.runs.renewLease(run.id, run.fence, clock.now() - 1));
    await Promise.all([one.freeExpired(), two.freeExpired(), one.freeExpired()]);
    expect(await childRun(app)).toMatchObject({ status: 'queued', fence: run.fence, attempt: 1 });
  });
});
