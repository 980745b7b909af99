/**
 * A disk of a few megabytes that can be filled: a file system in memory, in a mount namespace of its own, so that nobody
 * else on the machine sees it and it is gone with the process that holds it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempDir } from './temp-dir.ts';

export interface SmallDisk {
  /** Where it is for processes that are started `through` it. */
  readonly path: string;
  /** Runs the command that follows on this disk, in the same process. */
  readonly through: readonly string[];
  /** Until nothing more fits but that many bytes. */
  fill(leftBytes?: number): void;
  free(): void;
}

const PAGE_BYTES = 4096;

/** Whoever is not root is, in a namespace of their own, where the system allows it. */
const OWN_USER = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const UNSHARE = [...OWN_USER, '--mount', '--propagation', 'private', '--'];

/** Why tests that need such a disk cannot run here; `undefined` when they can. */
export function missingSmallDisk(): string | undefined {
  if (process.platform !== 'linux') return 'a small disk needs Linux';
  const probe = spawnSync('unshare', [...UNSHARE, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]);
  if (probe.error) return 'there is no unshare (package util-linux) on this machine';
  return probe.status === 0 ? undefined : `a small disk cannot be mounted: ${String(probe.stderr).trim()}`;
}

export async function mountSmallDisk(megabytes: number): Promise<SmallDisk> {
  const path = tempDir();
  const holder = spawn(
    'unshare',
    [
      ...UNSHARE,
      'sh',
      '-c',
      'mount -t tmpfs -o "size=$1m" tmpfs "$0" && echo mounted && read -r end',
      path,
      String(megabytes),
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  onTestFinished(() => release(holder));
  await once(holder.stdout, 'data');
  // The same place as everybody else sees it.
  const filler = join(`/proc/${holder.pid}/root${path}`, 'filler');
  return {
    path,
    // Entering the namespace leaves the working folder behind.
    through: ['nsenter', ...entering(holder.pid!), 'sh', '-c', 'cd "$0" && exec "$@"', path],
    fill(leftBytes = 0) {
      const file = openSync(filler, 'w');
      const pages = writePages(file);
      closeSync(file);
      if (leftBytes > 0) truncateSync(filler, Math.max(0, pages * PAGE_BYTES - leftBytes));
    },
    free: () => rmSync(filler, { force: true }),
  };
}

/** Options of `nsenter`. */
function entering(pid: number): readonly string[] {
  const asUser = OWN_USER.length > 0 ? [`--user=/proc/${pid}/ns/user`, '--preserve-credentials'] : [];
  return [...asUser, `--mount=/proc/${pid}/ns/mnt`];
}

/** How many fitted. */
function writePages(file: number): number {
  const page = Buffer.alloc(PAGE_BYTES, 1);
  for (let pages = 0; ; pages++) {
    try {
      if (writeSync(file, page) < PAGE_BYTES) return pages;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === 'ENOSPC') return pages;
      throw thrown;
    }
  }
}

async function release(holder: ChildProcess): Promise<void> {
  if (holder.exitCode !== null) return;
  const ended = once(holder, 'exit');
  holder.stdin?.end();
  await ended;
}
