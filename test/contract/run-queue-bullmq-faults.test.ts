/** What happens to wakes when Redis, a connection or a worker fails: each on a real server of the test's own. */
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createBullRunQueue } from '../../adapters/bullmq/index.ts';
import { createSystemClock } from '../../adapters/node/index.ts';
import type { SessionKey } from '../../src/core/ids.ts';
import { buildSessionKey } from '../../src/core/session-key.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { RunQueue } from '../../src/ports/run-queue.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { missingRedis, type RedisServer, startRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';

const PREFIX = 'skein-test';
const workerScript = fileURLToPath(new URL('../fakes/queue-worker-main.ts', import.meta.url));

const session = (id: string): SessionKey =>
  buildSessionKey({ kind: 'chat', agentId: 'main', channel: 'webchat', chat: 'channel', id });
const [a, b] = [session('a'), session('b')];

async function ownRedis(...args: string[]): Promise<RedisServer> {
  const server = await startRedis(...args);
  onTestFinished(() => server.remove());
  return server;
}

/** Ten times as fast as the system's: what the queue does every 10 s, it does every second. */
function createFastClock(): Clock {
  const clock = createSystemClock();
  return { now: () => clock.now(), after: (delayMs, fire) => clock.after(delayMs / 10, fire) };
}

/** A queue whose handler notes every call and holds it while `gate` is closed. */
function openQueue(url: string, clock = createSystemClock()) {
  const { log, lines } = createRecordingLog();
  const queue = createBullRunQueue({ url, prefix: PREFIX, clock, log });
  const begun: SessionKey[] = [];
  let waiting: (() => void)[] = [];
  let isHeld = false;
  let active = 0;
  let mostAtOnce = 0;
  const letGo = () => {
    isHeld = false;
    for (const go of waiting) go();
    waiting = [];
  };
  onTestFinished(async () => {
    letGo();
    await queue.close();
  });
  return {
    queue,
    lines,
    begun,
    mostAtOnce: () => mostAtOnce,
    hold: () => {
      isHeld = true;
    },
    letGo,
    work: (concurrency = 4) =>
      queue.work(new Map([['main', { concurrency }]]), async ({ sessionKey }) => {
        begun.push(sessionKey);
        active++;
        mostAtOnce = Math.max(mostAtOnce, active);
        if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
        active--;
      }),
    wake: (sessionKey: SessionKey) => queue.wake({ lane: 'main', sessionKey }),
    isReady: () =>
      until(() => queue.health().state === 'ready', { what: 'the queue is ready', withinMs: 15_000 }),
    hasBegun: (sessionKeys: readonly SessionKey[], withinMs = 10_000) =>
      until(() => begun.length >= sessionKeys.length, {
        what: `handlers of ${sessionKeys}`,
        withinMs,
        seen: () => begun,
      }).then(() => expect(begun).toEqual(sessionKeys)),
  };
}

/** As the sweeper does it. */
async function wakeUntilTaken(queue: RunQueue, sessionKey: SessionKey): Promise<void> {
  const isTaken = () =>
    queue.wake({ lane: 'main', sessionKey }).then(
      () => true,
      () => false,
    );
  await until(isTaken, { what: `a wake of ${sessionKey} is taken`, withinMs: 15_000 });
}

const outageLines = (lines: ReturnType<typeof createRecordingLog>['lines']) =>
  lines.map(({ message }) => message).filter((message) => message.startsWith('Redis '));

describe.skipIf(missingRedis() !== undefined)('the run queue on Redis', () => {
  test('starts while Redis is down, refuses wakes at once, and works when Redis comes (LANE-09)', async () => {
    const server = await ownRedis();
    await server.stop();
    const { queue, work, wake, hasBegun, lines, isReady } = openQueue(server.url);
    work();
    const startedAt = performance.now();
    await expect(wake(a)).rejects.toMatchObject({ code: 'queue-unreachable', isRetryable: true });
    expect(await queue.stats()).toEqual({ waiting: 0, active: 0 });
    expect(performance.now() - startedAt).toBeLessThan(1000);
    expect(queue.health()).toMatchObject({
      state: 'down',
      problem: expect.stringContaining('cannot be reached'),
    });
    await server.start();
    await isReady();
    await wake(a);
    await hasBegun([a]);
    await until(() => outageLines(lines).length === 2, { what: 'two log lines', seen: () => lines });
    expect(outageLines(lines)).toEqual([
      'Redis cannot be reached: queued work waits until it is back',
      'Redis is back',
    ]);
  });

  test('B2: goes on by itself after Redis was away while idle, though Redis lost everything (LANE-09)', async () => {
    const server = await ownRedis();
    const { queue, work, wake, hasBegun, lines } = openQueue(server.url);
    work();
    await wake(a);
    await hasBegun([a]);
    await server.stop();
    await until(() => queue.health().state === 'down', { what: 'the queue is down' });
    await expect(wake(b)).rejects.toMatchObject({ code: 'queue-unreachable' });
    await server.start();
    await wakeUntilTaken(queue, b);
    await hasBegun([a, b], 5000);
    await until(() => outageLines(lines).length === 2, { what: 'two log lines', seen: () => lines });
  });

  test('a handler outlives an outage, and its session is handled again afterwards, never at the same time', async () => {
    const server = await ownRedis();
    const { queue, work, wake, hasBegun, hold, letGo, mostAtOnce, begun } = openQueue(server.url);
    work();
    hold();
    await wake(a);
    await hasBegun([a]);
    await server.stop();
    await until(() => queue.health().state === 'down', { what: 'the queue is down' });
    await server.start();
    await wakeUntilTaken(queue, a);
    // Redis knows nothing of the handler at work: the wake arrives here again.
    await until(async () => (await queue.stats()).waiting === 1 && (await queue.stats()).active === 0, {
      what: 'the wake is postponed',
    });
    expect(begun).toEqual([a]);
    letGo();
    await hasBegun([a, a]);
    expect(mostAtOnce()).toBe(1);
    await wake(b);
    await hasBegun([a, a, b]);
  });

  test('a handler that ends during an outage does no harm', async () => {
    const server = await ownRedis();
    const { queue, work, wake, hasBegun, hold, letGo } = openQueue(server.url);
    work(1);
    hold();
    await wake(a);
    await hasBegun([a]);
    await server.stop();
    await until(() => queue.health().state === 'down', { what: 'the queue is down' });
    letGo();
    await server.start();
    await wakeUntilTaken(queue, b);
    await hasBegun([a, b]);
    await wake(a);
    await hasBegun([a, b, a]);
  });

  test('a wake that was lost with every key is handled when it is repeated (LANE-05)', async () => {
    const server = await ownRedis();
    const { queue, work, wake, hasBegun, hold, letGo } = openQueue(server.url);
    work(1);
    hold();
    await wake(a);
    await hasBegun([a]);
    await wake(b);
    await wake(a);
    await server.command('FLUSHALL');
    expect(await queue.stats()).toEqual({ waiting: 0, active: 0 });
    letGo();
    await wake(b);
    await hasBegun([a, b]);
    await wake(a);
    await hasBegun([a, b, a]);
  });

  test('goes on after all its connections were cut', async () => {
    const server = await ownRedis();
    const { queue, work, wake, hasBegun } = openQueue(server.url);
    work();
    await wake(a);
    await hasBegun([a]);
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await wakeUntilTaken(queue, b);
    await hasBegun([a, b], 5000);
  });

  test('answers in time while Redis is frozen, and goes on when it moves again', async () => {
    const server = await ownRedis();
    const { queue, work, wake, hasBegun, isReady } = openQueue(server.url);
    work();
    await wake(a);
    await hasBegun([a]);
    server.freeze();
    const startedAt = performance.now();
    await expect(wake(b)).rejects.toMatchObject({ code: 'queue-unreachable' });
    expect(performance.now() - startedAt).toBeLessThan(4000);
    expect(queue.health()).toMatchObject({ state: 'down' });
    await expect(wake(b)).rejects.toMatchObject({ code: 'queue-unreachable' });
    expect(await queue.stats()).toEqual({ waiting: 0, active: 0 });
    server.thaw();
    await isReady();
    await wake(session('c'));
    await until(() => queue.stats().then(({ waiting, active }) => waiting + active === 0), {
      what: 'the queue is empty',
    });
  });

  test('refuses wakes while Redis is a read-only replica, and goes on when it is the primary again', async () => {
    const server = await ownRedis();
    const { queue, work, wake, hasBegun, lines } = openQueue(server.url);
    work();
    await wake(a);
    await hasBegun([a]);
    await server.command('REPLICAOF', '127.0.0.1', '1');
    await expect(wake(b)).rejects.toMatchObject({ code: 'queue-unreachable' });
    await until(() => outageLines(lines).length === 1, { what: 'a log line', seen: () => lines });
    await server.command('REPLICAOF', 'NO', 'ONE');
    await wakeUntilTaken(queue, b);
    await hasBegun([a, b], 8000);
    await until(() => outageLines(lines).length === 2, { what: 'one more log line', seen: () => lines });
  });

  test('refuses wakes while Redis is full, says so, and goes on when there is room', async () => {
    const server = await ownRedis();
    const { queue, work, wake, hasBegun, hold, letGo } = openQueue(server.url);
    work(1);
    hold();
    await wake(a);
    await hasBegun([a]);
    await wake(b);
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    await expect(wake(session('c'))).rejects.toMatchObject({ code: 'queue-unreachable' });
    expect(queue.health()).toMatchObject({ state: 'down', problem: expect.stringContaining('OOM') });
    letGo();
    await hasBegun([a, b]);
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    await wakeUntilTaken(queue, session('c'));
    await hasBegun([a, b, session('c')]);
    expect(queue.health()).toEqual({ state: 'ready' });
  });

  test('does not hammer a Redis that refuses to write, and goes on when it writes again', async () => {
    const server = await ownRedis();
    const { work, wake, hasBegun, hold, letGo, begun, lines } = openQueue(server.url);
    work(1);
    hold();
    await wake(a);
    await hasBegun([a]);
    await wake(b);
    await server.command('CONFIG', 'SET', 'min-replicas-to-write', '1');
    const from = await countCalls(server);
    letGo();
    await pause(2000);
    const calls = (await countCalls(server)) - from;
    await server.command('CONFIG', 'SET', 'min-replicas-to-write', '0');
    expect(calls).toBeLessThan(200);
    expect(lines.length).toBeLessThan(5);
    await until(() => begun.includes(b), { what: 'the waiting wake is handled', seen: () => begun });
  });

  test('B2: a worker that has gone deaf is noticed and replaced', async () => {
    const server = await ownRedis();
    const { work, wake, hasBegun, lines } = openQueue(server.url, createFastClock());
    work();
    await wake(a);
    await hasBegun([a]);
    // Its connections stay open and adding works, but the worker cannot wait for wakes any more.
    await server.command('ACL', 'SETUSER', 'default', '-bzpopmin');
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await until(() => outageLines(lines).length === 2, { what: 'it is connected again', seen: () => lines });
    await wake(b);
    await hasBegun([a, b], 15_000);
    expect(lines.some(({ message }) => message.includes('the worker of this lane is replaced'))).toBe(true);
    expect(outageLines(lines)).toHaveLength(2);
  });

  test('every wake is handled by exactly one of two processes', async () => {
    const server = await ownRedis();
    const [one, two] = [openQueue(server.url), openQueue(server.url)];
    one.work();
    two.work();
    const sessions = Array.from({ length: 200 }, (_, index) => session(`s${index}`));
    await Promise.all(sessions.map((key, index) => (index % 2 === 0 ? one : two).wake(key)));
    await until(() => one.begun.length + two.begun.length >= sessions.length, { what: 'all are handled' });
    expect([...one.begun, ...two.begun].sort()).toEqual([...sessions].sort());
    expect(one.begun.length).toBeGreaterThan(0);
    expect(two.begun.length).toBeGreaterThan(0);
  });

  test('B3: a wake while another process handles the session is not taken for a repetition but handled afterwards', async () => {
    const server = await ownRedis();
    const [one, two] = [openQueue(server.url), openQueue(server.url)];
    one.hold();
    one.work();
    await one.wake(a);
    await one.hasBegun([a]);
    two.work();
    await two.wake(a);
    await two.wake(b);
    await until(() => one.begun.length + two.begun.length === 2, { what: 'b is handled' });
    one.letGo();
    await until(() => [...one.begun, ...two.begun].filter((key) => key === a).length === 2, {
      what: 'a is handled again',
    });
  });

  test('the wakes of a killed worker return to another one within 10 s, again and again', async () => {
    const server = await ownRedis();
    const { work, wake, begun } = openQueue(server.url);
    await wake(a);
    await wake(b);
    for (let round = 0; round < 2; round++) await killWorkerWith(server, [a, b]);
    work();
    const killedAt = performance.now();
    await until(() => begun.length === 2, { what: 'both wakes return', withinMs: 10_000, seen: () => begun });
    expect(performance.now() - killedAt).toBeLessThan(10_000);
    expect([...begun].sort()).toEqual([a, b]);
    await wake(a);
    await until(() => begun.length === 3, { what: 'the session is not stuck', seen: () => begun });
  });

  test('closes in time while Redis is down, once its handlers have returned', async () => {
    const server = await ownRedis();
    const { queue, work, wake, hasBegun, hold, letGo } = openQueue(server.url);
    work();
    hold();
    await wake(a);
    await hasBegun([a]);
    await server.stop();
    await until(() => queue.health().state === 'down', { what: 'the queue is down' });
    const closing = queue.close();
    const startedAt = performance.now();
    letGo();
    await closing;
    expect(performance.now() - startedAt).toBeLessThan(3000);
    await wake(a);
    expect(await queue.stats()).toEqual({ waiting: 0, active: 0 });
  });

  test('closes in time while Redis is frozen', async () => {
    const server = await ownRedis();
    const { queue, work, wake, hasBegun } = openQueue(server.url);
    work();
    await wake(a);
    await hasBegun([a]);
    server.freeze();
    const startedAt = performance.now();
    await queue.close();
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });

  test('closes in time when Redis never was there', async () => {
    const server = await ownRedis();
    await server.stop();
    const { queue, work } = openQueue(server.url);
    work();
    const startedAt = performance.now();
    await queue.close();
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });

  test('a wake that reaches a closing process is handled by another one soon', async () => {
    const server = await ownRedis();
    const [one, two] = [openQueue(server.url), openQueue(server.url)];
    one.hold();
    one.work();
    await one.wake(a);
    await one.hasBegun([a]);
    const closing = one.queue.close();
    await two.wake(b);
    two.work();
    await two.hasBegun([b], 5000);
    one.letGo();
    await closing;
    expect(one.begun).toEqual([a]);
  });

  test('credentials come from the URL, and wrong ones leave the queue down', async () => {
    const server = await ownRedis('--requirepass', 'p@ss');
    const withPassword = (password: string) =>
      `redis://:${encodeURIComponent(password)}@127.0.0.1:${server.port}`;
    const right = openQueue(withPassword('p@ss'));
    right.work();
    await right.wake(a);
    await right.hasBegun([a]);
    const wrong = openQueue(withPassword('guess'));
    await expect(wrong.wake(a)).rejects.toMatchObject({ code: 'queue-unreachable' });
    expect(wrong.queue.health().state).toBe('down');
    expect(JSON.stringify(wrong.lines)).not.toContain('guess');
  });

  test('works on a Redis Cluster, with all its keys on one node', async () => {
    const server = await ownRedis('--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1');
    await server.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    const inState = async () => (await server.command('CLUSTER', 'INFO')).includes('cluster_state:ok');
    await until(inState, { what: 'the cluster is up' });
    const { queue, work, wake, hasBegun } = openQueue(`${server.url}?cluster=1`);
    work();
    await wakeUntilTaken(queue, a);
    await hasBegun([a]);
    await wake(b);
    await hasBegun([a, b]);
    const keys = await server.command('KEYS', '*');
    expect(keys).toContain(`{${PREFIX}}:main:`);
    await queue.close();
  });
});

async function countCalls(server: RedisServer): Promise<number> {
  const reply = await server.command('INFO', 'stats');
  return Number(/total_commands_processed:(\d+)/.exec(reply)?.[1]);
}

/** A worker process takes the wakes and is killed with them in its hands. */
async function killWorkerWith(server: RedisServer, sessionKeys: readonly SessionKey[]): Promise<void> {
  const child = spawn(process.execPath, [workerScript, server.url, PREFIX], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await until(() => sessionKeys.every((key) => output.includes(`begun ${key}\n`)), {
    what: 'the worker has taken the wakes',
    withinMs: 10_000,
    seen: () => output,
  });
  child.kill('SIGKILL');
}
