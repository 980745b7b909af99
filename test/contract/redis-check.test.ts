/** What is said about a Redis server before work is given to it. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkRedis } from '../../adapters/bullmq/index.ts';
import { missingRedis, startRedis } from '../support/redis.ts';

async function ownRedis(...args: string[]) {
  const server = await startRedis(...args);
  onTestFinished(() => server.remove());
  return server;
}

/** Answers every command with this information: old servers are not to be had. */
async function serverThatSays(info: string): Promise<string> {
  const reply = `$${Buffer.byteLength(info)}\r\n${info}\r\n`;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const commands = data.toString().match(/^\*\d+/gm) ?? [];
      socket.write(commands.map(() => reply).join(''));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(missingRedis() !== undefined)('checking a Redis server', () => {
  test('one that keeps its keys and is new enough is fine', async () => {
    const server = await ownRedis();
    expect(await checkRedis(server.url)).toEqual({ ok: true });
  });

  test('one that may throw keys away is named with the setting it needs', async () => {
    const server = await ownRedis('--maxmemory-policy', 'allkeys-lru');
    expect(await checkRedis(server.url)).toEqual({
      ok: false,
      problem: 'Redis has maxmemory-policy allkeys-lru and may throw wakes away; set it to noeviction',
    });
  });

  test('one that forbids CONFIG is checked all the same', async () => {
    const server = await ownRedis('--maxmemory-policy', 'volatile-lru', '--rename-command', 'CONFIG', '');
    expect(await checkRedis(server.url)).toMatchObject({
      problem: expect.stringContaining('volatile-lru'),
    });
  });

  test('one that is away is a problem, not an error, and is called without its password', async () => {
    const server = await ownRedis();
    await server.stop();
    const startedAt = performance.now();
    const check = await checkRedis(`redis://:secret@127.0.0.1:${server.port}`);
    expect(performance.now() - startedAt).toBeLessThan(6000);
    expect(check).toMatchObject({ ok: false, problem: expect.stringContaining('cannot be reached') });
    expect(JSON.stringify(check)).not.toContain('secret');
  });

  test('one that is frozen is a problem within a few seconds', async () => {
    const server = await ownRedis();
    server.freeze();
    const startedAt = performance.now();
    expect(await checkRedis(server.url)).toMatchObject({ ok: false });
    expect(performance.now() - startedAt).toBeLessThan(8000);
  });

  test('wrong credentials are a problem that says so', async () => {
    const server = await ownRedis('--requirepass', 'right');
    const check = await checkRedis(`redis://:wrong@127.0.0.1:${server.port}`);
    expect(check).toMatchObject({ ok: false, problem: expect.stringMatching(/WRONGPASS/) });
  });

  test('one that is too old is refused with the version it must have', async () => {
    const url = await serverThatSays('redis_version:6.0.16\r\nmaxmemory_policy:noeviction\r\n');
    await expect(checkRedis(url)).rejects.toMatchObject({
      code: 'queue-unusable',
      message: 'Redis is 6.0.16; 6.2 or newer is needed: update it',
    });
  });

  test('one that hides its settings is asked to be looked after', async () => {
    const url = await serverThatSays('redis_version:7.4.0\r\n');
    expect(await checkRedis(url)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('noeviction'),
    });
  });
});
