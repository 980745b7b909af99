/**
 * Who may come in: programs with the token as a bearer, and the browser that opened the printed address and got a cookie
 * for it. The cookie holds a value derived from the token, never the token; neither is ever written to an answer or log.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { isApiPath, refuse } from './reply.ts';
import { signedOutPage } from './signed-out-page.ts';

const COOKIE_LIFE_S = 30 * 24 * 3600;
/** Probes need no token and reveal nothing; assets are the same for everybody. */
const OPEN_PATHS = /^\/(healthz|readyz|favicon\.ico|assets\/[\w.-]+)$/;

/** Compares in constant time whatever the lengths, by comparing digests. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** `port` is part of the cookie's name, because browsers share cookies between the ports of one host. */
export function requireToken(token: string, port: () => number): MiddlewareHandler {
  const pass = createHmac('sha256', token).update('skein browser session').digest('base64url');
  const cookieName = () => `skein_${port()}`;

  return async (c, next) => {
    if (OPEN_PATHS.test(c.req.path)) return next();
    const isApi = isApiPath(c.req.path);
    const offered = c.req.query('token');
    if (offered !== undefined && !isApi && c.req.method === 'GET') {
      if (!isSameSecret(offered, token)) return signedOut(c);
      setCookie(c, cookieName(), pass, {
        httpOnly: true,
        sameSite: 'Strict',
        path: '/',
        maxAge: COOKIE_LIFE_S,
      });
      // A path that begins with two slashes would lead to another host.
      return c.redirect(/^\/(?![/\\])/.test(c.req.path) ? c.req.path : '/', 303);
    }
    const bearer = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
    if (bearer !== undefined && isSameSecret(bearer, token)) return next();
    const cookie = getCookie(c, cookieName());
    if (bearer === undefined && cookie !== undefined && isSameSecret(cookie, pass)) return next();
    return isApi ? unauthorized(c) : signedOut(c);
  };
}

function unauthorized(c: Context): Response {
  c.header('WWW-Authenticate', 'Bearer realm="skein"');
  return refuse(
    c,
    401,
    'unauthorized',
    'A token is needed: send "Authorization: Bearer <token>" with the token that Skein keeps in its state folder.',
  );
}

function signedOut(c: Context): Response {
  const page = signedOutPage();
  c.header('Content-Security-Policy', page.contentSecurityPolicy);
  return c.html(page.html, 401);
}
