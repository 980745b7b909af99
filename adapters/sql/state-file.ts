/**
 * The file a database lives in: made private before SQLite opens it, and every reason why it cannot be used said in a
 * sentence that a person can act on. Never opens an existing file itself: closing a descriptor would drop the locks that
 * this process holds on it through SQLite.
 */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, asError } from '../../src/errors.ts';

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Makes the folder and the file where they are missing. */
export function createStateFile(path: string): void {
  guarded(path, () => {
    makeFolder(dirname(path));
    createIfMissing(path);
    if (!statSync(path).isFile()) {
      throw unusable(`${path} is not a file. Move it away, or set SKEIN_HOME to another folder.`);
    }
  });
}

/** Only its owner can read the file; the journals that SQLite puts beside it take the same mode. */
export function makePrivate(path: string): void {
  guarded(path, () => chmodSync(path, PRIVATE_FILE));
}

function guarded(path: string, call: () => void): void {
  try {
    call();
  } catch (thrown) {
    throw toStateError(path, thrown);
  }
}

/** Step by step, since Node's own recursion never ends where a file system answers "not found" to making a folder (/proc). */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, PRIVATE_FOLDER);
  } catch (thrown) {
    const isMadeMeanwhile = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
    if (!isMadeMeanwhile) throw thrown;
  }
}

function createIfMissing(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE));
  } catch (thrown) {
    if (errorCode(thrown) !== 'EEXIST') throw thrown;
  }
}

export function unusable(message: string, cause?: unknown): AppError {
  return new AppError('state-unusable', message, cause === undefined ? {} : { cause });
}

/** What went wrong with the file or its folder, and what to do about it. */
export function toStateError(path: string, thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const folder = dirname(path);
  switch (errorCode(thrown)) {
    case 'ENOTDIR':
    case 'EEXIST':
      return unusable(
        `${folder} cannot be used as the state folder: a file is in the way. Move the file, or set SKEIN_HOME to another folder.`,
        thrown,
      );
    case 'ENOENT':
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'SQLITE_READONLY':
    case 'SQLITE_READONLY_DIRECTORY':
    case 'SQLITE_CANTOPEN':
      return unusable(
        `${folder} cannot be written to. Allow this user to write there, or set SKEIN_HOME to another folder.`,
        thrown,
      );
    case 'ENOSPC':
    case 'SQLITE_FULL':
    // The file that connections share cannot grow.
    case 'SQLITE_IOERR_SHMSIZE':
      return unusable(`There is no space left for ${path}. Free some, then start again.`, thrown);
    case 'SQLITE_NOTADB':
    case 'SQLITE_CORRUPT':
      return unusable(
        `${path} is damaged or not a database; it was left as it is. Put a backup in its place, or move it away to begin anew.`,
        thrown,
      );
    default:
      return unusable(`${path} cannot be used: ${asError(thrown).message}.`, thrown);
  }
}

function errorCode(thrown: unknown): string | undefined {
  const { code } = asError(thrown) as { code?: unknown };
  return typeof code === 'string'
    ? code.replace(/^(SQLITE_(?:CANTOPEN|CORRUPT|NOTADB|FULL))_.*/, '$1')
    : undefined;
}
