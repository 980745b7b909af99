/** `skein config check` */
import type { ConfigFlags } from '../config/load.ts';
import { loadProcessConfig } from '../config/process.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** Wrong values are thrown by loading, all of them at once. */
export function checkConfig(flags: ConfigFlags): ExitCode {
  const { warnings, source } = loadProcessConfig(flags);
  for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`);
  const subject = source ?? 'No configuration file; the environment';
  process.stdout.write(`${subject}: no wrong values.\n`);
  return EXIT.ok;
}
