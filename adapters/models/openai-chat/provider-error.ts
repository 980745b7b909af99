/**
 * From whatever the SDK threw, or sent as an error part, to a failure of ours. A call fails in one of three places: the
 * provider answered with an error, it could not be reached, or its stream broke off or was not what it should be.
 */
import { asError } from '../../../src/errors.ts';
import type { FailureClass, ModelFailure } from '../../../src/ports/model.ts';
import { classifyAnswer, type ProviderAnswer } from './classify.ts';
import { retryAfterMs } from './retry-after.ts';

const TIMEOUT_CODES = /^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/;

interface CallError {
  readonly statusCode?: number;
  readonly responseHeaders?: Record<string, string>;
  readonly responseBody?: string;
  readonly message: string;
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** `{error: {message, code, type}}`, `{error: "…"}` and a bare `{message, code, type}` are all in use. */
function readAnswer(body: unknown, status: number | undefined, fallback: string): ProviderAnswer {
  const outer = record(Array.isArray(body) ? body[0] : body);
  const error = record(outer?.error) ?? outer;
  const text = typeof outer?.error === 'string' ? outer.error : error?.message;
  const { code, type } = error ?? {};
  const numericCode = typeof code === 'number' && code >= 400 ? code : undefined;
  const answered = status === undefined || status < 400 ? numericCode : status;
  return {
    ...(answered !== undefined && { status: answered }),
    ...(code !== undefined && code !== null && { code: String(code) }),
    ...(typeof type === 'string' && { type }),
    message: typeof text === 'string' && text !== '' ? text : fallback,
  };
}

function errorCodeOf(thrown: unknown): string | undefined {
  let current: unknown = thrown;
  for (let depth = 0; depth < 5 && current !== undefined; depth += 1) {
    const code = record(current)?.code;
    if (typeof code === 'string' && !code.startsWith('AI_')) return code;
    current = record(current)?.cause;
  }
  return undefined;
}

function unreachable(thrown: unknown): ModelFailure {
  const code = errorCodeOf(thrown);
  const message = code ? `the connection failed (${code})` : asError(thrown).message;
  const isWrongAddress =
    code === 'ERR_INVALID_URL' || /parse URL|Invalid URL|includes credentials/i.test(message);
  const failureClass: FailureClass = isWrongAddress
    ? 'invalid-request'
    : TIMEOUT_CODES.test(code ?? '')
      ? 'timeout'
      : 'network';
  return { class: failureClass, message };
}

/** The call was refused before anything streamed, or the connection failed at any time. */
export function failureOfCall(thrown: unknown, now: number): ModelFailure {
  const call = record(thrown) as CallError | undefined;
  if (call?.statusCode === undefined || call.statusCode < 400) return unreachable(thrown);
  const answer = readAnswer(parsed(call.responseBody), call.statusCode, call.message || 'no reason given');
  const wait = retryAfterMs(call.responseHeaders, now);
  return {
    class: classifyAnswer(answer),
    message: `it answered ${call.statusCode}: ${answer.message}`,
    ...(wait !== undefined && { retryAfterMs: wait }),
  };
}

/** An error inside a stream that had begun: the provider's own words, or a chunk that could not be read. */
export function failureOfPart(error: unknown): ModelFailure {
  const part = record(error);
  const sent = error instanceof Error ? part?.value : error;
  const answer = readAnswer(sent, undefined, '');
  if (answer.message !== '') {
    return { class: classifyAnswer(answer), message: `it broke off: ${answer.message}` };
  }
  return { class: 'network', message: 'its stream broke off or could not be read' };
}
