/** Finds the browser that the page is driven with, or installs it where nobody needs to be asked. */
import { findProgram, installPackage } from './apt.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The one command that provides it on Debian and its relatives. */
export const CHROMIUM_COMMAND = 'sudo apt-get install -y chromium';

/** `CHROMIUM_PATH`, else the first browser in `PATH` or `/usr/bin`; `undefined` when there is none. */
export function findChromium(env: NodeJS.ProcessEnv): string | undefined {
  return env.CHROMIUM_PATH || findProgram(env, NAMES);
}

export function installChromium(env: NodeJS.ProcessEnv): string | undefined {
  return installPackage(env, 'chromium') ? findChromium(env) : undefined;
}
