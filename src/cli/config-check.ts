/** `skein config check` */
import type { ConfigFlags } from '../config/load.ts';
import { loadProcessConfig } from '../config/process.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** Wrong values are thrown by loading, all of them at once. */
export function checkConfig(flags: ConfigFlags): ExitCode {
  const { warnings, source } = loadProcessConfig(flags);
  for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`);
  const verdict =
    source === undefined
      ? 'There is no configuration file, and no wrong value in the environment.'
      : `${source}: no wrong values.`;
  process.stdout.write(`${verdict}\n`);
  return EXIT.ok;
}
