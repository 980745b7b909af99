/** The one shape in which this server says that something went wrong: `{ error: { code, message } }`. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

export function refuse(c: Context, status: ContentfulStatusCode, code: string, message: string): Response {
  return c.json({ error: { code, message } }, status);
}

/** `/api/…` answers JSON; everything else is read by people. */
export function isApiPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}
