/**
 * Turns what a route threw into an answer. Only the texts of faults that the caller caused are passed on; everything
 * else is logged and answered without detail, so that no path, statement or secret reaches a client.
 */
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { AppError, asError, type ErrorCode } from '../errors.ts';
import type { Log } from '../ports/log.ts';
import { refuse } from './reply.ts';

const ANSWERS: Partial<Record<ErrorCode, { status: ContentfulStatusCode; code: string }>> = {
  'bad-request': { status: 400, code: 'bad_request' },
  'not-found': { status: 404, code: 'not_found' },
  'payload-too-large': { status: 413, code: 'payload_too_large' },
};

export function createErrorHandler(log: Log): (error: unknown, c: Context) => Response {
  return (thrown, c) => {
    const error = asError(thrown);
    if (error instanceof HTTPException && error.status < 500) {
      return refuse(c, error.status as ContentfulStatusCode, 'bad_request', error.message || 'Bad request.');
    }
    const answer = error instanceof AppError ? ANSWERS[error.code] : undefined;
    if (answer) return refuse(c, answer.status, answer.code, error.message);
    log.error({ err: error, method: c.req.method, path: c.req.path }, 'A request failed');
    if (error instanceof AppError && error.code === 'store-full') {
      return refuse(
        c,
        507,
        'storage_full',
        'There is no space left where Skein keeps its data. Nothing was stored; please try again later.',
      );
    }
    if (error instanceof AppError && error.isRetryable) {
      return refuse(c, 503, 'unavailable', 'Skein is busy just now. Please try again in a moment.');
    }
    return refuse(c, 500, 'internal', 'Something went wrong inside Skein. Its log has the details.');
  };
}
