/**
 * `gateway.json` in the state folder: where the running gateway can be reached. Left behind by a crash, so whoever reads
 * it must be ready to find nobody there.
 */
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { asError } from '../errors.ts';

const recordSchema = z.object({ url: z.string(), pid: z.int() });

export type GatewayRecord = z.output<typeof recordSchema>;

function recordPath(home: string): string {
  return join(home, 'gateway.json');
}

export function writeGatewayRecord(home: string, record: GatewayRecord): void {
  const path = recordPath(home);
  writeFileSync(path, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
}

export function removeGatewayRecord(home: string): void {
  rmSync(recordPath(home), { force: true });
}

/** `undefined` when there is none, or none that can be understood. */
export function readGatewayRecord(home: string): GatewayRecord | undefined {
  const text = readOptional(recordPath(home));
  if (text === undefined) return undefined;
  try {
    return recordSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** False when its process is gone: somebody else may have its port by now, and must not be shown the token. */
export function isRunning({ pid }: GatewayRecord): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    const error: NodeJS.ErrnoException = asError(thrown);
    return error.code === 'EPERM';
  }
}

/** The token that the gateway made for itself; `undefined` before its first start. */
export function readTokenFile(home: string): string | undefined {
  return readOptional(join(home, 'token'))?.trim();
}

function readOptional(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    const error: NodeJS.ErrnoException = asError(thrown);
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw thrown;
  }
}
