/**
 * A Redis server for tests: a process of its own on a free port, which can be stopped, started again and frozen, and is
 * gone when its owner's cleanup has run.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedisServer } from './find-redis.ts';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** As a crash would end it: nothing is kept. */
  stop(): Promise<void>;
  /** On the same port, empty. `args` for this time only. */
  start(...args: string[]): Promise<void>;
  /** The process stands still; connections stay open. */
  freeze(): void;
  thaw(): void;
  /** One command, over a connection of its own; resolves with the raw reply. */
  command(...words: string[]): Promise<string>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

/** Why tests that need a server of their own cannot run here; `undefined` when they can. */
export function missingRedis(): string | undefined {
  return findRedisServer(process.env) ? undefined : 'there is no redis-server on this machine';
}

export async function startRedis(...args: string[]): Promise<RedisServer> {
  const program = findRedisServer(process.env);
  if (program === undefined) throw new Error(missingRedis());
  const folder = mkdtempSync(join(tmpdir(), 'skein-redis-'));
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start(...more: string[]): Promise<void> {
    const fixed = ['--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
    child = spawn(program!, ['--port', String(port), ...fixed, ...args, ...more], { stdio: 'ignore' });
    const current = child;
    await until(
      async () => {
        if (current.exitCode !== null) throw new Error(`redis-server ended with ${current.exitCode}`);
        return /PONG|NOAUTH/.test(await sendCommand(port, ['PING']).catch(() => ''));
      },
      { what: 'redis-server answers' },
    );
  }

  async function stop(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async function remove(): Promise<void> {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    await start();
  } catch (thrown) {
    await remove();
    throw thrown;
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    stop,
    start,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    command: (...words) => sendCommand(port, words),
    remove,
  };
}

/** The reply's first packet is enough for the short replies that tests look at. */
async function sendCommand(port: number, words: readonly string[]): Promise<string> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    socket.write(`*${words.length}\r\n${parts.join('')}`);
    const [reply] = (await once(socket, 'data')) as [Buffer];
    return reply.toString('utf8');
  } finally {
    socket.destroy();
  }
}
