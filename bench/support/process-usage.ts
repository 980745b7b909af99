/** What a process has used, from `/proc` (Linux). */
import { readFileSync } from 'node:fs';

/** Clock ticks a second in `/proc`, fixed by the kernel's interface. */
const TICKS_PER_SECOND = 100;
const MIB_IN_KIB = 1024;

/** Processor time of all its threads so far, in milliseconds. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the process may hold blanks; what follows the last bracket does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return (ticks * 1_000) / TICKS_PER_SECOND;
}

/** Resident memory in MiB, now and at its highest. */
export function residentMib(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
  return { now: kib('VmRSS') / MIB_IN_KIB, peak: kib('VmHWM') / MIB_IN_KIB };
}
