/** A process of its own for one side of a benchmark, ended with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Cleanup } from './cleanup.ts';

export interface Child {
  readonly pid: number;
  /** What its standard output matches first; rejects with its last words when it ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends it with SIGTERM; resolves when it is gone. */
  end(): Promise<void>;
}

export function startChild(
  cleanup: Cleanup,
  script: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env: Readonly<Record<string, string>> },
): Child {
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    ...options,
    // Both sides end when these two are cut, so that nothing is left behind by a benchmark that was killed.
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  const ended = once(child, 'exit');
  let stdout = '';
  let stderr = '';
  const listeners = new Set<() => void>();
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const look of listeners) look();
  });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4_000);
  });
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  cleanup.add(end);
  return {
    pid: child.pid!,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(stdout);
          if (!match) return;
          listeners.delete(look);
          resolve(match);
        };
        listeners.add(look);
        void ended.then(() => reject(new Error(`${script} ended too early: ${stderr || stdout}`)));
        look();
      }),
    end,
  };
}
