/** Middleware that stands before everything else: whose request it is, by its headers alone, and what browsers may do. */
import type { MiddlewareHandler } from 'hono';
import { isAllowedHost, isOwnOrigin } from './hosts.ts';
import { isApiPath, refuse } from './reply.ts';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

export function checkHost(configuredHost: string): MiddlewareHandler {
  return async (c, next) => {
    if (isAllowedHost(c.req.header('host'), configuredHost)) return next();
    return refuse(
      c,
      403,
      'forbidden_host',
      'This Host header is not one of Skein’s addresses. Use the address that Skein printed, or set http.host.',
    );
  };
}

/** Calls that change something, and event streams, only from our own page or from a program. */
export function checkOrigin(): MiddlewareHandler {
  return async (c, next) => {
    const isStream = c.req.header('accept')?.includes('text/event-stream') || c.req.path.endsWith('/events');
    if (SAFE_METHODS.includes(c.req.method) && !isStream) return next();
    const origin = c.req.header('origin');
    const fetchSite = c.req.header('sec-fetch-site');
    const isOwn = isOwnOrigin({
      host: c.req.header('host') ?? '',
      ...(origin !== undefined && { origin }),
      ...(fetchSite !== undefined && { fetchSite }),
    });
    if (isOwn) return next();
    return refuse(c, 403, 'forbidden_origin', 'Calls from other sites are not accepted.');
  };
}

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export function securityHeaders(): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const headers = c.res.headers;
    if (!headers.has('Content-Security-Policy'))
      headers.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    headers.set('X-Content-Type-Options', 'nosniff');
    headers.set('X-Frame-Options', 'DENY');
    headers.set('Referrer-Policy', 'no-referrer');
    headers.set('Cross-Origin-Resource-Policy', 'same-origin');
    headers.set('Cross-Origin-Opener-Policy', 'same-origin');
    if (isApiPath(c.req.path) || !headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store');
  };
}
