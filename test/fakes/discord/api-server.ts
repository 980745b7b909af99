/**
 * The REST side over HTTP: request → journal → faults → authorisation → rate limit → route → faults → answer. Attachments
 * are served beside it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, refuse } from './api-error.ts';
import type { ActiveFaults, Failure } from './faults.ts';
import type { JournalEntry, OpenedJournal } from './journal.ts';
import type { ActiveRateLimits } from './rate-limits.ts';
import { type ParsedBody, parseBody, readBytes } from './request-body.ts';
import type { ApiAnswer, RestSide } from './rest/route.ts';
import { findRoute } from './rest/router.ts';
import type { ViolationLog } from './violations.ts';
import type { Json } from './world.ts';

interface ApiServerParts {
  readonly side: RestSide;
  readonly journal: OpenedJournal;
  readonly faults: ActiveFaults;
  readonly rateLimits: ActiveRateLimits;
  readonly violations: ViolationLog;
  readonly isToken: (token: unknown) => boolean;
}

type Outcome = ApiAnswer & { readonly headers?: Record<string, string> };

const decoded = (pathname: string): readonly string[] =>
  pathname
    .replace(/^\/api(\/v\d+)?/, '')
    .split('/')
    .slice(1)
    .map(decodeURIComponent);

export function createApiServer(parts: ApiServerParts) {
  const { side, journal, faults, rateLimits, violations, isToken } = parts;
  const { platform } = side;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://discord.invalid');
    if (url.pathname.startsWith('/attachments/')) return serveAttachment(url.pathname, response);
    const bytes = await readBytes(request);
    const segments = decoded(url.pathname);
    const isTooLarge = bytes.byteLength > platform.settings.maxRequestBytes;
    const parsed = isTooLarge ? { body: undefined, files: [] } : await safely(bytes, request);
    const entry = journal.open({
      at: platform.now(),
      method: request.method ?? 'GET',
      path: `/${segments.join('/')}`,
      query: Object.fromEntries(url.searchParams),
      body: parsed instanceof ApiError ? undefined : parsed.body,
      files: parsed instanceof ApiError ? [] : parsed.files,
      hasAuthorization: request.headers.authorization !== undefined,
    });
    violations.check(entry);
    const failure = await meetFaults(entry, 'before', response);
    if (failure === 'cut') return;
    if (failure) return answer(entry, response, failure);
    const early = parsed instanceof ApiError ? parsed : isTooLarge ? refuse(40005) : undefined;
    const outcome = early ? errorAnswer(early) : perform(entry, segments, request);
    if (outcome.status < 400) entry.isPerformed = true;
    if ((await meetFaults(entry, 'after', response)) === 'cut') return;
    answer(entry, response, outcome);
  }

  async function safely(bytes: Buffer, request: IncomingMessage): Promise<ParsedBody | ApiError> {
    try {
      return await parseBody(bytes, request.headers['content-type']);
    } catch (error) {
      return error instanceof ApiError ? error : refuse(50035);
    }
  }

  function perform(entry: JournalEntry, segments: readonly string[], request: IncomingMessage): Outcome {
    const found = findRoute(entry.method, segments);
    if (!found) return errorAnswer(new ApiError(404, 0, '404: Not Found'));
    const { route, params, major } = found;
    const isAuthorized = isToken(request.headers.authorization?.replace(/^Bot /, ''));
    if (!route.isOpen && !isAuthorized) return counted(errorAnswer(refuse(0)));
    const verdict = rateLimits.take(entry, `${route.method} ${route.path}`, major);
    const { headers, refusal } = verdict;
    if (refusal) {
      const body = {
        message: 'You are being rate limited.',
        retry_after: refusal.retryAfterMs / 1000,
        global: refusal.isGlobal,
      };
      return counted({ status: 429, body, headers }, refusal.isShared);
    }
    try {
      const answered = route.run(side, {
        params,
        query: entry.query,
        body: entry.body,
        files: entry.files,
      });
      return { ...answered, headers };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return counted({ ...errorAnswer(error), headers });
    }
  }

  function counted(outcome: Outcome, isShared = false): Outcome {
    rateLimits.count(outcome.status, isShared);
    return outcome;
  }

  /** Delays, gates, failures and cuts, in the order of their rules. */
  async function meetFaults(
    entry: JournalEntry,
    phase: 'before' | 'after',
    response: ServerResponse,
  ): Promise<Outcome | 'cut' | undefined> {
    for (const action of faults.take(entry, phase)) {
      if (action.kind === 'delay') await pause(action.delayMs);
      if (action.kind === 'hold') {
        action.arrive(entry);
        await action.opened;
      }
      if (action.kind === 'cut') {
        entry.status = 'cut';
        if (action.how === 'reset') response.socket?.resetAndDestroy();
        else response.socket?.destroy();
        platform.changed();
        return 'cut';
      }
      if (action.kind === 'fail') return failureAnswer(action.failure);
    }
    return undefined;
  }

  function answer(entry: JournalEntry, response: ServerResponse, { status, body, headers = {} }: Outcome) {
    entry.status = status;
    entry.code = status >= 400 ? Number((body as Json | undefined)?.code ?? 0) : undefined;
    if (body === undefined) {
      response.writeHead(status, headers).end();
    } else if (typeof body === 'string') {
      response.writeHead(status, { ...headers, 'content-type': 'text/html' }).end(body);
    } else {
      response.writeHead(status, { ...headers, 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    }
    platform.changed();
  }

  function serveAttachment(pathname: string, response: ServerResponse): void {
    const attachment = platform.world.attachments.get(pathname.split('/')[3] ?? '');
    if (!attachment) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': attachment.contentType,
      'content-length': attachment.bytes.byteLength,
    });
    response.end(attachment.bytes);
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    handle(request, response).catch((error: unknown) => {
      violations.report('fake', `${request.method} ${request.url}`, String((error as Error).stack ?? error));
      if (!response.headersSent) response.writeHead(500).end();
    });
  };
}

const errorAnswer = ({ status, code, message, errors }: ApiError): Outcome => ({
  status,
  body: { message, code, ...(errors ? { errors } : {}) },
});

const failureAnswer = ({ status = 500, code = 0, message, body }: Failure): Outcome => ({
  status,
  body: body ?? { code, message: message ?? `${status}: failed on purpose` },
});
