/** Live signals between processes: two of them stand for two processes, on a real Redis of the test's own. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRedisLive } from '../../adapters/bullmq/index.ts';
import { createInProcessLive } from '../../adapters/embedded/index.ts';
import { createSystemClock, createSystemIds } from '../../adapters/node/index.ts';
import type { Address } from '../../src/core/address.ts';
import { runId } from '../../src/core/ids.ts';
import { buildSessionKey } from '../../src/core/session-key.ts';
import type { LiveEvent } from '../../src/ports/live.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { missingRedis, type RedisServer, startRedis } from '../support/redis.ts';
import { until } from '../support/until.ts';

async function ownRedis(): Promise<RedisServer> {
  const server = await startRedis();
  onTestFinished(() => server.remove());
  return server;
}

function openLive(url: string, prefix = 'skein-test') {
  const { log, lines } = createRecordingLog();
  const local = createInProcessLive({ log });
  const live = createRedisLive({
    url,
    prefix,
    local,
    ids: createSystemIds(),
    clock: createSystemClock(),
    log,
  });
  onTestFinished(() => live.close());
  const heard: LiveEvent[] = [];
  live.subscribe((event) => void heard.push(event));
  return { live, heard, lines };
}

async function startLive(url: string, prefix?: string) {
  const opened = openLive(url, prefix);
  await opened.live.start();
  return opened;
}

const cancel = (id: string): LiveEvent => ({ type: 'cancel', runId: runId(id) });
const address: Address = {
  channel: 'webchat',
  account: 'default',
  chatType: 'channel',
  conversation: 'general',
  thread: 'café',
};
const sessionKey = buildSessionKey({ kind: 'main', agentId: 'main' });
const { thread: _, ...channelAddress } = address;

/** Of every kind, with and without what may be left out. */
const EVENTS: readonly LiveEvent[] = [
  { type: 'delta', runId: runId('run_1'), address, text: 'Hello\n"you" 👋' },
  { type: 'typing', runId: runId('run_1'), address: channelAddress, isWorking: true },
  { type: 'queued', address, eventId: 'm1', isQueued: false },
  { type: 'progress', runId: runId('run_1') },
  { type: 'progress', runId: runId('run_1'), tool: 'read' },
  { type: 'cancel', runId: runId('run_1') },
  { type: 'operations', channel: 'webchat', account: 'default' },
  { type: 'binding', address, sessionKey },
  { type: 'settled', runId: runId('run_1'), sessionKey },
];

describe.skipIf(missingRedis() !== undefined)('live signals over Redis', () => {
  test('every kind of event reaches the other process unchanged and in order, and its own once, at once', async () => {
    const { url } = await ownRedis();
    const [one, two] = [await startLive(url), await startLive(url)];
    for (const event of EVENTS) one.live.publish(event);
    expect(one.heard).toEqual(EVENTS);
    await until(() => two.heard.length >= EVENTS.length, { what: 'the other hears', seen: () => two.heard });
    expect(two.heard).toEqual(EVENTS);
    two.live.publish(cancel('run_2'));
    await until(() => one.heard.length > EVENTS.length, { what: 'the first hears', seen: () => one.heard });
    expect(one.heard).toEqual([...EVENTS, cancel('run_2')]);
    expect(two.heard).toEqual([...EVENTS, cancel('run_2')]);
  });

  test('another prefix is another Skein', async () => {
    const { url } = await ownRedis();
    const [one, two, other] = [await startLive(url), await startLive(url), await startLive(url, 'other')];
    one.live.publish(cancel('run_1'));
    await until(() => two.heard.length === 1, { what: 'its own kind hears' });
    expect(other.heard).toEqual([]);
  });

  test('what is not a live event is left out and said once', async () => {
    const server = await ownRedis();
    const { heard, lines } = await startLive(server.url);
    const wrong = [
      'no JSON',
      '{}',
      '{"from":"x","event":{"type":"cancel"}}',
      '{"from":"x","event":{"type":"toString"}}',
    ];
    for (const message of wrong) await server.command('PUBLISH', 'skein-test:live', message);
    const right = JSON.stringify({ from: 'x', event: { ...cancel('run_1'), later: 'version' } });
    await server.command('PUBLISH', 'skein-test:live', right);
    await until(() => heard.length > 0, { what: 'the right one is heard' });
    expect(heard).toEqual([cancel('run_1')]);
    expect(lines.map(({ level }) => level)).toEqual(['warn']);
  });

  test('starts and works within its process while Redis is down, and with the others when it is there', async () => {
    const server = await ownRedis();
    await server.stop();
    const [one, two] = [await startLive(server.url), await startLive(server.url)];
    one.live.publish(cancel('lost'));
    expect(one.heard).toEqual([cancel('lost')]);
    await server.start();
    await until(
      () => {
        one.live.publish(cancel('again'));
        return two.heard.length > 0;
      },
      { what: 'the other hears again' },
    );
    expect(two.heard).not.toContainEqual(cancel('lost'));
    await until(() => one.lines.length === 2, { what: 'one line each way', seen: () => one.lines });
  });

  test('signals are dropped, not stored up, while Redis is away, and flow again after', async () => {
    const server = await ownRedis();
    const [one, two] = [await startLive(server.url), await startLive(server.url)];
    await server.stop();
    await until(() => one.lines.length > 0, { what: 'the outage is noticed' });
    for (let i = 0; i < 1000; i++) one.live.publish(cancel('lost'));
    expect(one.heard).toHaveLength(1000);
    await server.start();
    await until(
      () => {
        one.live.publish(cancel('again'));
        return two.heard.length > 0;
      },
      { what: 'the other hears again' },
    );
    expect(two.heard).not.toContainEqual(cancel('lost'));
  });

  test('a frozen Redis is sent a bounded number of signals', async () => {
    const server = await ownRedis();
    const [one, two] = [await startLive(server.url), await startLive(server.url)];
    server.freeze();
    for (let i = 0; i < 20_000; i++) one.live.publish(cancel(`run_${i}`));
    expect(one.heard).toHaveLength(20_000);
    server.thaw();
    await until(
      () => {
        one.live.publish(cancel('after'));
        return two.heard.some((event) => event.type === 'cancel' && event.runId === 'after');
      },
      { what: 'signals flow again' },
    );
    expect(two.heard.length).toBeLessThan(5000);
  });

  test('closing twice is the same as once, and nothing is sent or heard afterwards', async () => {
    const { url } = await ownRedis();
    const [one, two] = [await startLive(url), await startLive(url)];
    await one.live.close();
    await one.live.close();
    one.live.publish(cancel('run_1'));
    two.live.publish(cancel('run_2'));
    expect(one.heard).toEqual([cancel('run_1')]);
    await until(() => two.heard.length > 0, { what: 'its own event' });
    expect(two.heard).toEqual([cancel('run_2')]);
  });

  test('closing before starting does nothing', async () => {
    const { live } = openLive('redis://127.0.0.1:1');
    await live.close();
  });
});
