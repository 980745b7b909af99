/**
 * The HTTP server: guards, probes, tool calls and whatever else is mounted, in this order:
 *
 *   security headers → Host → Origin → token → body limit → route → error envelope
 *
 * It knows nothing of channels; those hand it their routes.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { AppError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { requireToken } from './auth.ts';
import { createErrorHandler } from './errors.ts';
import { createEventStreams, type EventStreams } from './event-streams.ts';
import { checkHost, checkOrigin, securityHeaders } from './guards.ts';
import { healthRoutes, type Readiness } from './health.ts';
import { isLoopback, isWildcard } from './hosts.ts';
import { isApiPath, refuse } from './reply.ts';
import { type RunTool, toolRoutes } from './tool-routes.ts';

const BODY_LIMIT_BYTES = 1024 * 1024;
/** How long answers that are being worked out may take once the server stops. */
const GRACE_MS = 2_000;

export interface HttpServerParts {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly token: string;
  /** Whether a person chose the token in the configuration; needed to listen beyond this machine. */
  readonly isTokenConfigured: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly readiness: () => Readiness;
  readonly runTool: RunTool;
  /** Mounted at the root, behind the token. */
  readonly routes: readonly Hono[];
}

export interface HttpServer {
  /** Resolves when connections are accepted. Rejects with AppError `port-in-use` or `config-invalid`. */
  start(): Promise<{ readonly port: number; readonly url: string }>;
  /** Ends event streams at once and lets other answers finish. Idempotent. */
  stop(): Promise<void>;
}

export function createHttpServer(parts: HttpServerParts): HttpServer {
  const streams = createEventStreams(parts.clock);
  let boundPort = parts.port;
  const app = createRoutes(parts, streams, () => boundPort);
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  let stopping: Promise<void> | undefined;

  return {
    async start() {
      if (!isLoopback(parts.host) && !parts.isTokenConfigured) {
        throw new AppError(
          'config-invalid',
          `http.host is ${parts.host}, which other machines can reach. Set http.token as well, or use 127.0.0.1.`,
        );
      }
      boundPort = await listen(server, parts.host, parts.port);
      return { port: boundPort, url: `http://${openableHost(parts.host)}:${boundPort}` };
    },
    stop() {
      stopping ??= close(server, streams, parts.clock);
      return stopping;
    },
  };
}

function createRoutes(parts: HttpServerParts, streams: EventStreams, port: () => number): Hono {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.onError(createErrorHandler(parts.log));
  app.notFound((c) =>
    isApiPath(c.req.path)
      ? refuse(c, 404, 'not_found', `There is nothing at ${c.req.method} ${c.req.path}.`)
      : c.text('There is no such page. The chat is at /.', 404),
  );
  app.use(securityHeaders(), checkHost(parts.host), checkOrigin(), requireToken(parts.token, port));
  app.use(
    bodyLimit({
      maxSize: BODY_LIMIT_BYTES,
      onError: (c) => {
        // What is left of the body is not read, so the connection serves no further call.
        c.header('connection', 'close');
        return refuse(c, 413, 'payload_too_large', 'The body is too large: at most 1 MiB is accepted.');
      },
    }),
  );
  app.use(async (c, next) => {
    await next();
    if (c.res.headers.get('content-type')?.startsWith('text/event-stream'))
      streams.add(c.env.incoming.socket);
  });
  app.route('/', healthRoutes(parts.readiness));
  app.route('/', toolRoutes(parts.runTool));
  for (const routes of parts.routes) app.route('/', routes);
  return app as unknown as Hono;
}

/** What a person on this machine can open; "every interface" is not an address. */
function openableHost(host: string): string {
  if (isWildcard(host)) return '127.0.0.1';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port));
    server.once('error', failed);
    server.listen(port, host.replace(/^\[|\]$/g, ''), () => {
      server.off('error', failed);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): AppError {
  if (cause.code === 'EADDRINUSE') {
    return new AppError(
      'port-in-use',
      `Port ${port} on ${host} is taken by another program. Set http.port (or SKEIN_PORT) to another one; 0 picks a free one.`,
      { cause },
    );
  }
  return new AppError(
    'config-invalid',
    `Cannot listen on ${host}:${port} (${cause.code ?? cause.message}). Check http.host and http.port.`,
    { cause },
  );
}

async function close(server: Server, streams: EventStreams, clock: Clock): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  streams.end();
  server.closeIdleConnections();
  const cancel = clock.after(GRACE_MS, () => server.closeAllConnections());
  await closed;
  cancel();
}
