/** Faults of the web chat's store, as the channel errors that the layers above understand. */
import { AppError } from '../../src/errors.ts';

/** The chat's database is the "platform" here: when it fails, the platform could not be reached. */
export async function asChannelCall<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof AppError && cause.code.startsWith('channel-')) throw cause;
    throw new AppError('channel-unreachable', 'The web chat’s store did not answer.', { cause });
  }
}

export function unknownThread(thread: string): AppError {
  return new AppError('channel-not-found', `The web chat has no thread ${thread} there.`);
}
