/** Finding and parsing the configuration file. Never writes. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import JSON5 from 'json5';
import { AppError, asError } from '../errors.ts';
import { expandHome } from './paths.ts';

export interface FoundFile {
  readonly path: string;
  /** Parsed, not yet validated. */
  readonly value: unknown;
}

/**
 * `SKEIN_CONFIG`, else `./skein.json5`, else `~/.skein/skein.json5`, else none. A file that was named must exist. Throws
 * `config-invalid` for a file that cannot be read or parsed.
 */
export function findConfigFile(at: {
  readonly named: string | undefined;
  readonly cwd: string;
  readonly userHome: string;
}): FoundFile | undefined {
  if (at.named !== undefined) {
    const path = resolve(at.cwd, expandHome(at.named, at.userHome));
    const text = readText(path);
    if (text === undefined) {
      throw new AppError(
        'config-invalid',
        `There is no configuration file ${path}; correct SKEIN_CONFIG or --config.`,
      );
    }
    return { path, value: parse(path, text) };
  }
  for (const path of [join(at.cwd, 'skein.json5'), join(at.userHome, '.skein', 'skein.json5')]) {
    const text = readText(path);
    if (text !== undefined) return { path, value: parse(path, text) };
  }
  return undefined;
}

export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (thrown) {
    const error: NodeJS.ErrnoException = asError(thrown);
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new AppError('config-invalid', `Cannot read ${path}: ${error.message}`, { cause: error });
  }
}

function parse(path: string, text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON5.parse(text);
  } catch (thrown) {
    const error: Error & { lineNumber?: number; columnNumber?: number } = asError(thrown);
    const place = `${path}:${error.lineNumber ?? 1}:${error.columnNumber ?? 1}`;
    const what = error.message.replace(/^JSON5: /, '').replace(/ at \d+:\d+$/, '');
    throw new AppError('config-invalid', `${place}: not valid JSON5: ${what}`, { cause: error });
  }
}
