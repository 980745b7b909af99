/** Whether the state folder can be worked with. Changes nothing there, and does not make it either. */
import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Check, fail, ok, warn } from '../core/check.ts';
import { AppError, asError } from '../errors.ts';

const MIB = 1024 * 1024;
/** With less, a busy day may end in a full disk; with much less, the next hour. */
const SCARCE_BYTES = 1024 * MIB;
const FULL_BYTES = 50 * MIB;

export interface StateLook {
  readonly home: string;
  readonly databasePath: string;
  /** Throws an AppError that says what to do when it cannot be used. */
  database(): 'missing' | 'current' | 'older';
}

export function stateChecks(look: StateLook): readonly Check[] {
  return [folderCheck(look.home), diskCheck(look.home), databaseCheck(look)];
}

function folderCheck(home: string): Check {
  const name = 'state folder';
  const folder = nearestExisting(home);
  const advice = 'Allow this user to write there, or set SKEIN_HOME to another folder.';
  if (!statSync(folder).isDirectory())
    return fail(name, `${folder} is a file, so ${home} cannot be a folder.`, advice);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch {
    return fail(name, `${folder} cannot be written to.`, advice);
  }
  return ok(
    name,
    folder === home ? `${home} can be written to.` : `${home} will be made at the first start.`,
  );
}

function diskCheck(home: string): Check {
  const name = 'disk';
  const { bavail, bsize } = statfsSync(nearestExisting(home));
  const free = bavail * bsize;
  const found = `${Math.floor(free / MIB)} MiB are free.`;
  const advice = 'Free some space: on a full disk nothing new is taken in.';
  if (free < FULL_BYTES) return fail(name, found, advice);
  return free < SCARCE_BYTES ? warn(name, found, advice) : ok(name, found);
}

function databaseCheck({ databasePath, database }: StateLook): Check {
  const name = 'database';
  try {
    switch (database()) {
      case 'missing':
        return ok(name, `${databasePath} will be made at the first start.`);
      case 'older':
        return ok(name, 'Its schema is older; the next start brings it up to date.');
      case 'current':
        return ok(name, `${databasePath} is sound, its schema up to date.`);
    }
  } catch (thrown) {
    if (thrown instanceof AppError) return fail(name, thrown.message, 'Nothing was changed.');
    return fail(
      name,
      `${databasePath} cannot be read: ${asError(thrown).message}.`,
      'Look at its owner and mode.',
    );
  }
}

function nearestExisting(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })) return path;
  const parent = dirname(path);
  return parent === path ? path : nearestExisting(parent);
}
