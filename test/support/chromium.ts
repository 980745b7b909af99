/** Finds the browser that the page is driven with, or installs it where nobody needs to be asked. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The one command that provides it on Debian and its relatives. */
export const CHROMIUM_COMMAND = 'sudo apt-get install -y chromium';

/** `CHROMIUM_PATH`, else the first browser in `PATH` or `/usr/bin`; `undefined` when there is none. */
export function findChromium(env: NodeJS.ProcessEnv): string | undefined {
  if (env.CHROMIUM_PATH) return env.CHROMIUM_PATH;
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/bin'].filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** Root may install packages unasked, and so may a CI machine; everybody else is asked by the runner's last words. */
export function installChromium(env: NodeJS.ProcessEnv): string | undefined {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !env.CI) return undefined;
  const sudo = isRoot ? [] : ['sudo', '-n'];
  const apt = (...args: string[]) => {
    const [program, ...rest] = [...sudo, 'apt-get', ...args];
    const options = { stdio: 'inherit', env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
    return spawnSync(program!, rest, options).status === 0;
  };
  const isInstalled =
    apt('update', '-q') && apt('install', '-q', '-y', '--no-install-recommends', 'chromium');
  return isInstalled ? findChromium(env) : undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
