/** Whether the Node that runs this is one that Skein is made for. */
import { type Check, fail, ok } from '../core/check.ts';

const NEEDED = [22, 18] as const;

/** `version`: as Node tells its own, such as `24.1.0`. */
export function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEnough = major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
  if (isEnough) return ok('node', `Node ${version}.`);
  return fail(
    'node',
    `Node ${version} is too old.`,
    `Install Node ${NEEDED.join('.')} or newer, or run npm ci.`,
  );
}
