/** Errors of the Redis client, as they may be logged: without the command that failed, whose words may be a password. */
import { asError } from '../../src/errors.ts';

export function asRedisError(thrown: unknown): Error {
  const error = asError(thrown);
  if (!('command' in error)) return error;
  const plain = new Error(error.message);
  plain.name = error.name;
  if (error.stack !== undefined) plain.stack = error.stack;
  if ('code' in error) Object.assign(plain, { code: error.code });
  return plain;
}
