/**
 * Faults. Expected refusals are values, not errors; what is thrown is an AppError with one of these codes. `message` is for
 * the log and the operator, never shown in a chat as it is; `cause` is always kept.
 */
export const ERROR_CODES = {
  /** The configuration holds a wrong value. Exit code 78. */
  'config-invalid': { isRetryable: false },
  /** Another gateway holds the state folder. */
  'state-locked': { isRetryable: false },
  /** The state folder or database cannot be used as it is (read-only, blocked by a file, damaged, newer). */
  'state-unusable': { isRetryable: false },
  'port-in-use': { isRetryable: false },
  /** The platform said: too many calls. `retryAfterMs` says how long to wait. */
  'channel-rate-limited': { isRetryable: true },
  'channel-unreachable': { isRetryable: true },
  'channel-permission-denied': { isRetryable: false },
  'channel-not-found': { isRetryable: false },
  'channel-invalid': { isRetryable: false },
  'store-busy': { isRetryable: true },
  /** The disk is full: nothing was stored. It works again by itself once there is room. */
  'store-full': { isRetryable: true },
  'store-failed': { isRetryable: false },
  /** The server behind the run queue is away, or did not take a wake. What is queued is safe in the store. */
  'queue-unreachable': { isRetryable: true },
  /** The server behind the run queue is not fit to carry it. */
  'queue-unusable': { isRetryable: false },
  /** A provider that had to say which models it has could not. */
  'model-unavailable': { isRetryable: true },
  'bad-request': { isRetryable: false },
  'not-found': { isRetryable: false },
  'payload-too-large': { isRetryable: false },
  /** This process no longer owns the run: another one has taken it over. Everything it still does is void. */
  'run-lost': { isRetryable: false },
} as const;
export type ErrorCode = keyof typeof ERROR_CODES;

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly retryAfterMs: number | undefined;
  /** What to do about it, in one sentence that may be shown in a chat. */
  readonly hint: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number; hint?: string } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.hint = options.hint;
  }

  get isRetryable(): boolean {
    return ERROR_CODES[this.code].isRetryable;
  }
}

/** Whatever was thrown, as an Error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
