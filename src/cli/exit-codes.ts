/** Exit codes of the command line, after sysexits(3) where it has a fitting one. Documented in `skein --help`. */
import { AppError } from '../errors.ts';

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** Something that is needed cannot be used: the port, the state folder, the gateway. */
  unavailable: 69,
  bug: 70,
  /** Another process is in the way; trying later may help. */
  tryLater: 75,
  config: 78,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A wrong call of the command line, told in one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.usage;
  if (!(error instanceof AppError)) return EXIT.bug;
  switch (error.code) {
    case 'config-invalid':
      return EXIT.config;
    case 'port-in-use':
    case 'state-unusable':
    case 'store-full':
      return EXIT.unavailable;
    case 'state-locked':
    case 'store-busy':
      return EXIT.tryLater;
    default:
      return EXIT.failed;
  }
}
