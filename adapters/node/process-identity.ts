/**
 * Names this process so that no other one, before or after it, has the same name, and tells whether the process of such
 * a name still lives. A pid alone is not enough: it is given out again.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** `<bootId>:<pid>:<startTime>:<random>`; a new one at each call, so it is asked for once and kept. */
export function processOwner(): string {
  return [bootId(), process.pid, startTime(process.pid) ?? '-', randomBytes(6).toString('hex')].join(':');
}

/**
 * False only when it is certain that the process is gone. Owners of another host or boot cannot be looked at from here
 * and count as alive: their leases run out by themselves.
 */
export function isOwnerAlive(owner: string): boolean {
  const [boot, pidText, start] = owner.split(':');
  const pid = Number(pidText);
  if (boot !== bootId() || start === undefined || !Number.isSafeInteger(pid) || pid <= 0) return true;
  if (start === '-') return canSignal(pid);
  return startTime(pid) === start;
}

/** Changes with every boot; without `/proc` the host's name has to do. */
function bootId(): string {
  return readProc('/proc/sys/kernel/random/boot_id')?.trim() ?? hostname().replaceAll(':', '_');
}

/**
 * In clock ticks since boot; `undefined` when there is no such process, or it has ended and only its parent has not
 * noticed yet. See https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html (fields 3 and 22).
 */
function startTime(pid: number): string | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  // The name in parentheses may itself hold spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined || /^[ZXx]$/.test(fields[0] ?? '')) return undefined;
  return fields[19];
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function canSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
