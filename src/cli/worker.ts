/** `skein worker`: carries out runs beside a gateway on the same state folder, until a signal comes. */
import { loadProcessConfig } from '../config/process.ts';
import type { Lane } from '../core/run.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { stopSignal } from './signals.ts';

export async function worker(options: {
  readonly lanes: readonly Lane[];
  readonly concurrency?: number;
}): Promise<ExitCode> {
  const stopped = stopSignal();
  const { config, warnings } = loadProcessConfig({});
  for (const warning of warnings) process.stderr.write(`skein: warning: ${warning}\n`);

  const { createWorkerApp } = await import('../app-worker.ts');
  const app = await createWorkerApp(config, options);
  await app.start();
  process.stdout.write(`Skein worker is ready: ${options.lanes.join(', ')}\n`);

  await stopped;
  await app.stop(config.shutdown.graceSeconds * 1_000);
  return EXIT.ok;
}
