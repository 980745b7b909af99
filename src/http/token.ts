/** The access token of a state folder: made once, kept in `<home>/token` for the owner's eyes only, used ever after. */
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import type { Ids } from '../ports/ids.ts';

const SHORTEST = 16;

/**
 * Must be called by the one process that holds the state folder.
 * @throws AppError `state-unusable` when the file cannot be read or written, or holds something that is no token.
 */
export async function readOrCreateToken(home: string, ids: Ids): Promise<string> {
  const path = join(home, 'token');
  try {
    const token = (await readExisting(path))?.trim();
    if (token === undefined) return await create(path, ids.secret());
    if (token.length >= SHORTEST && !/\s/.test(token)) {
      await chmod(path, 0o600);
      return token;
    }
  } catch (cause) {
    const isFull = (cause as NodeJS.ErrnoException).code === 'ENOSPC';
    const message = isFull
      ? `There is no space left for ${path}. Free some, then start again.`
      : `The token file ${path} cannot be used.`;
    throw new AppError('state-unusable', message, { cause });
  }
  throw new AppError(
    'state-unusable',
    `The file ${path} does not hold an access token. Delete it and start again; Skein makes a new one.`,
  );
}

async function readExisting(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written aside and renamed, so that a crash leaves either no token or a whole one. */
async function create(path: string, token: string): Promise<string> {
  const draft = `${path}.new`;
  await writeFile(draft, `${token}\n`, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, path);
  return token;
}
