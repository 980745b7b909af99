/** A refusal as Discord words it: an HTTP status, a code of its own and a text. */
import type { Json } from './world.ts';

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: number;
  readonly errors: Json | undefined;

  constructor(status: number, code: number, message: string, errors?: Json) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/** Refusals by their code: status and text. */
const REFUSALS = {
  0: [401, '401: Unauthorized'],
  10003: [404, 'Unknown Channel'],
  10004: [404, 'Unknown Guild'],
  10007: [404, 'Unknown Member'],
  10008: [404, 'Unknown Message'],
  10013: [404, 'Unknown User'],
  10015: [404, 'Unknown Webhook'],
  10062: [404, 'Unknown interaction'],
  10063: [404, 'Unknown application command'],
  20012: [403, 'You are not authorized to perform this action on this application'],
  30032: [400, 'Maximum number of application commands reached (100)'],
  30034: [400, 'Max number of daily application command creates has been reached (200)'],
  40005: [413, 'Request entity too large'],
  40060: [400, 'Interaction has already been acknowledged.'],
  40067: [400, 'A tag is required to create a forum post in this channel'],
  50001: [403, 'Missing Access'],
  50005: [403, 'Cannot edit a message authored by another user'],
  50006: [400, 'Cannot send an empty message'],
  50007: [403, 'Cannot send messages to this user'],
  50008: [400, 'Cannot send messages in a non-text channel'],
  50013: [403, 'Missing Permissions'],
  50021: [403, 'Cannot execute action on a system message'],
  50024: [400, 'Cannot execute action on this channel type'],
  50027: [401, 'Invalid Webhook Token'],
  50035: [400, 'Invalid Form Body'],
  50083: [400, 'Thread is archived'],
  160002: [400, 'Cannot reply without permission to read message history'],
  160004: [400, 'A thread has already been created for this message'],
  160005: [403, 'Thread is locked'],
  160006: [400, 'Maximum number of active threads reached'],
} as const satisfies Record<number, readonly [number, string]>;
export type RefusalCode = keyof typeof REFUSALS;

export function refuse(code: RefusalCode): ApiError {
  const [status, message] = REFUSALS[code];
  return new ApiError(status, code, message);
}

/** A body that breaks a rule: the field as a dotted path, and what is wrong with it. */
export function invalidForm(field: string, reason: string, problem: string): ApiError {
  const leaf: Json = { _errors: [{ code: reason, message: problem }] };
  const errors = field
    .split('.')
    .filter(Boolean)
    .reduceRight<Json>((inner, key) => ({ [key]: inner }), leaf);
  return new ApiError(400, 50035, 'Invalid Form Body', errors);
}
