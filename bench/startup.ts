/** How long until Skein is ready, and what it holds when nothing happens. */
import { setTimeout as pause } from 'node:timers/promises';
import { tempHome, withCleanup } from './support/cleanup.ts';
import type { Figure } from './support/figures.ts';
import { residentMib } from './support/process-usage.ts';
import { startProcess } from './support/skein.ts';

const STARTS = 10;
const IDLE_RUNS = 3;
const IDLE_MS = 5_000;

export async function startup(): Promise<readonly Figure[]> {
  await startOnce();
  const fresh: number[] = [];
  for (let run = 0; run < STARTS; run++) fresh.push(await startOnce());
  const existing = await startAgain();
  const idle: number[] = [];
  for (let run = 0; run < IDLE_RUNS; run++) idle.push(await idleMemory());
  return [
    { name: 'start to ready, new home', unit: 'ms', values: fresh, target: { atMost: 1_500 } },
    { name: 'start to ready, existing home', unit: 'ms', values: existing, target: { atMost: 1_500 } },
    { name: 'resident memory, 5 s idle', unit: 'MiB', values: idle, target: { atMost: 150 } },
  ];
}

function startOnce(): Promise<number> {
  return withCleanup(async (cleanup) => (await startProcess(cleanup, tempHome(cleanup))).readyMs);
}

function startAgain(): Promise<readonly number[]> {
  return withCleanup(async (cleanup) => {
    const home = tempHome(cleanup);
    const times: number[] = [];
    for (let run = 0; run <= STARTS; run++) {
      const { child, readyMs } = await startProcess(cleanup, home);
      if (run > 0) times.push(readyMs);
      await child.end();
    }
    return times;
  });
}

function idleMemory(): Promise<number> {
  return withCleanup(async (cleanup) => {
    const { child } = await startProcess(cleanup, tempHome(cleanup));
    await pause(IDLE_MS);
    return residentMib(child.pid).now;
  });
}
