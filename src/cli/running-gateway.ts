/** Whether a gateway runs on the state folder, asked of itself. */
import { z } from 'zod';
import { type Check, ok, warn } from '../core/check.ts';
import { isRunning, readGatewayRecord } from './gateway-record.ts';

/** It answers at once or is in trouble. */
const ANSWER_MS = 3_000;

const readinessSchema = z.object({ components: z.record(z.string(), z.string()) });

/** `isFolderInUse`: somebody holds the lock of the state folder. */
export async function gatewayCheck(home: string, isFolderInUse: boolean): Promise<Check> {
  const name = 'gateway';
  const record = readGatewayRecord(home);
  if (!record || !isRunning(record)) {
    if (!isFolderInUse) return ok(name, 'Not running.', 'Start it with "npm start".');
    return warn(
      name,
      'The state folder is in use, but by whom is not written down.',
      'Stop that process and start Skein again.',
    );
  }
  const components = await readiness(record.url);
  if (components === undefined) {
    return warn(
      name,
      `Process ${record.pid} is there, but nobody answers at ${record.url}.`,
      'Stop that process and start Skein again.',
    );
  }
  const states = Object.entries(components).map(([component, state]) => `${component} ${state}`);
  const found = `Running at ${record.url} (${states.join(', ')}).`;
  const isWell = Object.values(components).every((state) => state === 'ready');
  return isWell ? ok(name, found) : warn(name, found, 'What is not ready is explained in its log.');
}

async function readiness(url: string): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(ANSWER_MS) });
    return readinessSchema.safeParse(await response.json()).data?.components;
  } catch {
    return undefined;
  }
}
