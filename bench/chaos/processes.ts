/** The processes that the chaos run ends and starts again: one gateway and some workers on one state folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const launcher = fileURLToPath(new URL('../../bin/skein.js', import.meta.url));

/** One that ends by itself so often will not get any further. */
const MAX_ENDS = 10;

export interface Victim {
  readonly name: string;
  readonly isWorker: boolean;
  isUp(): boolean;
  isFrozen(): boolean;
  start(): void;
  /** As a crash ends it; resolves when it is gone. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Its last words each time it ended though nobody had killed it. */
  readonly ends: readonly string[];
  /** Everything that all its lives have logged. */
  log(): string;
}

export interface VictimOptions {
  readonly name: string;
  readonly home: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export function createVictim({ name, home, args, env }: VictimOptions): Victim {
  const logFile = join(home, `${name}.log`);
  const ends: string[] = [];
  let child: ChildProcess | undefined;
  let isFrozen = false;
  const log = () => readFileSync(logFile, 'utf8');

  function start(): void {
    const output = openSync(logFile, 'a');
    const current = spawn(process.execPath, [launcher, ...args], {
      cwd: home,
      env: { PATH: process.env.PATH ?? '', HOME: home, SKEIN_HOME: home, ...env },
      stdio: ['ignore', 'ignore', output],
    });
    closeSync(output);
    child = current;
    isFrozen = false;
    current.once('exit', (code) => {
      if (child !== current) return;
      child = undefined;
      ends.push(`${name} ended by itself with ${code}: ${log().slice(-500)}`);
      if (ends.length < MAX_ENDS) start();
    });
  }

  return {
    name,
    isWorker: args[0] === 'worker',
    isUp: () => child !== undefined,
    isFrozen: () => isFrozen,
    start,
    async kill() {
      const current = child;
      if (!current) return;
      child = undefined;
      const ended = once(current, 'exit');
      current.kill('SIGKILL');
      await ended;
    },
    freeze() {
      isFrozen = true;
      child?.kill('SIGSTOP');
    },
    thaw() {
      isFrozen = false;
      child?.kill('SIGCONT');
    },
    ends,
    log,
  };
}
