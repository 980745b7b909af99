/** `skein version` */
import { readFileSync } from 'node:fs';
import { EXIT, type ExitCode } from './exit-codes.ts';

export function version(): ExitCode {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const own = (manifest as { readonly version: string }).version;
  process.stdout.write(`skein ${own} (node ${process.versions.node})\n`);
  return EXIT.ok;
}
