/** Programs that tests need: looked up, or installed where nobody needs to be asked. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first of these names in `PATH` or `/usr/bin`; `undefined` when there is none. */
export function findProgram(env: NodeJS.ProcessEnv, names: readonly string[]): string | undefined {
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/bin'].filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/**
 * Whether the Debian package is installed now. Root may install packages unasked, and so may a CI machine; everybody else
 * is asked by the runner's last words.
 */
export function installPackage(env: NodeJS.ProcessEnv, name: string): boolean {
  const options = ['-q', '-y', '--no-install-recommends'];
  return runAsRoot(env, 'apt-get', 'update', '-q') && runAsRoot(env, 'apt-get', 'install', ...options, name);
}

/** `false` also where this user may not do such things. */
export function runAsRoot(env: NodeJS.ProcessEnv, ...command: readonly string[]): boolean {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !env.CI) return false;
  const [program, ...args] = isRoot ? command : ['sudo', '-n', ...command];
  const options = { stdio: 'inherit', env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  return spawnSync(program!, args, options).status === 0;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
