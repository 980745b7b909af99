/** Paths as people write them in settings. */
import { join, resolve } from 'node:path';

export function expandHome(path: string, userHome: string): string {
  return path === '~' || path.startsWith('~/') ? join(userHome, path.slice(1)) : path;
}

/** Absolute; relative paths count from the working folder. */
export function absolutePath(
  path: string,
  from: { readonly cwd: string; readonly userHome: string },
): string {
  return resolve(from.cwd, expandHome(path, from.userHome));
}
