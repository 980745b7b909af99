/** Finds the Redis server program that tests start for themselves, or installs it where nobody needs to be asked. */
import { findProgram, installPackage, runAsRoot } from './apt.ts';

/** The one command that provides it on Debian and its relatives. */
export const REDIS_COMMAND = 'sudo apt-get install -y redis-server';

/** `REDIS_SERVER`, else `redis-server` in `PATH` or `/usr/bin`; `undefined` when there is none. */
export function findRedisServer(env: NodeJS.ProcessEnv): string | undefined {
  return env.REDIS_SERVER || findProgram(env, ['redis-server']);
}

/** The package starts a server of its own, which nobody here wants: it is stopped again, for good. */
export function installRedisServer(env: NodeJS.ProcessEnv): string | undefined {
  const isInstalled = installPackage(env, 'redis-server');
  if (!isInstalled) return undefined;
  runAsRoot(env, 'sh', '-c', 'systemctl disable --now redis-server || service redis-server stop || true');
  return findRedisServer(env);
}
