/** A worker as a person runs it: a process of its own beside a gateway, which can be killed, frozen and asked to end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { until } from './until.ts';

const launcher = fileURLToPath(new URL('../../bin/skein.js', import.meta.url));

export interface WorkerProcess {
  readonly pid: number;
  stderr(): string;
  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void;
  /** As a crash would end it; resolves when the process is gone. */
  kill(): Promise<void>;
  /** As a service manager would end it; resolves with the exit code. */
  terminate(): Promise<number | null>;
  /** The exit code, if it ends by itself within that time. */
  endsWithin(ms: number): Promise<number | null | 'still there'>;
}

export async function startWorker(options: {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}): Promise<WorkerProcess> {
  const { home, env, args = [] } = options;
  const child = spawn(process.execPath, [launcher, 'worker', ...args], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, SKEIN_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await until(
    () =>
      stdout.includes('worker is ready') || (child.exitCode !== null && Promise.reject(new Error(stderr))),
    { what: 'the worker is ready', withinMs: 20_000, seen: () => stderr },
  );
  return {
    pid: child.pid!,
    stderr: () => stderr,
    signal: (name) => void child.kill(name),
    kill,
    async terminate() {
      child.kill('SIGTERM');
      return (await ended)[0];
    },
    endsWithin: (ms) =>
      Promise.race([ended.then(([code]) => code), pause(ms, 'still there' as const, { ref: false })]),
  };
}
