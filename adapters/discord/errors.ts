/**
 * What Discord or the line to it refused, as the channel errors that the layers above understand. The cause is always kept;
 * `hint` is what people are told to do.
 *
 * https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
 */
import { DiscordAPIError, HTTPError, RateLimitError, RESTJSONErrorCodes } from 'discord.js';
import { AppError, type ErrorCode } from '../../src/errors.ts';

interface Refusal {
  readonly code: ErrorCode;
  readonly hint?: string;
}

const REFUSALS: Readonly<Partial<Record<string | number, Refusal>>> = {
  /** Of an interaction that is over; unlike the bot's own token, it never gets valid again. */
  [RESTJSONErrorCodes.InvalidWebhookToken]: { code: 'channel-not-found' },
  [RESTJSONErrorCodes.MissingAccess]: { code: 'channel-permission-denied' },
  [RESTJSONErrorCodes.MissingPermissions]: { code: 'channel-permission-denied' },
  [RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory]: {
    code: 'channel-permission-denied',
  },
  [RESTJSONErrorCodes.CannotSendMessagesToThisUser]: {
    code: 'channel-permission-denied',
    hint: 'They do not take direct messages from me: allow them in the server’s privacy settings, then write to me.',
  },
  [RESTJSONErrorCodes.ThreadLocked]: {
    code: 'channel-permission-denied',
    hint: 'The thread is locked. Unlock it, or go on in another thread.',
  },
  [RESTJSONErrorCodes.InvalidActionOnArchivedThread]: {
    code: 'channel-permission-denied',
    hint: 'The thread is archived. Open it again, or go on in another thread.',
  },
  [RESTJSONErrorCodes.MaximumActiveThreads]: {
    code: 'channel-invalid',
    hint: 'This server has too many active threads; archive some, then try again.',
  },
  [RESTJSONErrorCodes.MaximumThreadParticipantsReached]: {
    code: 'channel-invalid',
    hint: 'The thread has as many members as Discord allows; go on in another thread.',
  },
  [RESTJSONErrorCodes.RequestEntityTooLarge]: {
    code: 'channel-invalid',
    hint: 'The file is larger than Discord takes here.',
  },
  [RESTJSONErrorCodes.CannotExecuteActionOnThisChannelType]: {
    code: 'channel-invalid',
    hint: 'No thread can be opened there; use a text, announcement or forum channel.',
  },
  [RESTJSONErrorCodes.MessageWasBlockedByAutomaticModeration]: {
    code: 'channel-permission-denied',
    hint: 'The server’s AutoMod blocked the message; change its rule, or exempt me from it.',
  },
};

/** `what` says in the operator's words what was being done, such as `send`. */
export function asChannelError(thrown: unknown, what: string): AppError {
  if (thrown instanceof AppError && thrown.code.startsWith('channel-')) return thrown;
  if (thrown instanceof RateLimitError) {
    const retryAfterMs = Math.max(thrown.retryAfter, thrown.timeToReset, thrown.sublimitTimeout);
    const message = `Discord’s rate limit holds up “${what}” for ${retryAfterMs} ms.`;
    return new AppError('channel-rate-limited', message, { cause: thrown, retryAfterMs });
  }
  if (thrown instanceof DiscordAPIError) return refused(thrown, what);
  const status = thrown instanceof HTTPError ? ` (status ${thrown.status})` : '';
  return new AppError('channel-unreachable', `Discord could not be reached for “${what}”${status}.`, {
    cause: thrown,
  });
}

function refused(cause: DiscordAPIError, what: string): AppError {
  const { status, code } = cause;
  const message = `Discord refused “${what}”: ${cause.message} (status ${status}, code ${code})`;
  const known = REFUSALS[code];
  // Nothing is lost by it: with a valid token all of it can still be said.
  if (status === 401 && !known) {
    const hint = 'Discord does not accept the bot’s token; put a valid one into the configuration.';
    return new AppError('channel-unreachable', message, { cause, hint });
  }
  if (!isDiscordsWord(cause)) {
    return new AppError(
      'channel-unreachable',
      `Something before Discord refused “${what}” (status ${status}).`,
      { cause },
    );
  }
  const { code: ours, hint } = known ?? { code: codeOfStatus(status) };
  return new AppError(ours, message, { cause, ...(hint !== undefined && { hint }) });
}

function codeOfStatus(status: number): ErrorCode {
  switch (status) {
    case 403:
      return 'channel-permission-denied';
    case 404:
      return 'channel-not-found';
    case 408:
      return 'channel-unreachable';
    default:
      return 'channel-invalid';
  }
}

/** Discord says why it refuses something; a page without a reason comes from what stands in between, and passes. */
function isDiscordsWord({ status, code }: DiscordAPIError): boolean {
  return code !== undefined || status === 404 || status === 413;
}

/** Discord's own number for why it refused. */
export function discordCode(error: unknown): number | undefined {
  const refusal = error instanceof AppError ? error.cause : error;
  return refusal instanceof DiscordAPIError && typeof refusal.code === 'number' ? refusal.code : undefined;
}

/** The same error with other words for people. */
export function withHint(error: AppError, hint: string): AppError {
  return new AppError(error.code, error.message, { cause: error.cause, hint });
}
