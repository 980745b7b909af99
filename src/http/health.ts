/** Probes for whoever watches the process. They need no token, so they tell components and how these are, nothing more. */
import { Hono } from 'hono';

export interface Readiness {
  readonly isReady: boolean;
  /** Component → its state, with what is wrong if something is: `{ store: 'ready', discord: 'down: Discord refused …' }`. */
  readonly components: Readonly<Record<string, string>>;
}

export function healthRoutes(readiness: () => Readiness): Hono {
  const routes = new Hono();
  routes.get('/healthz', (c) => c.json({ status: 'ok' }));
  routes.get('/readyz', (c) => {
    const { isReady, components } = readiness();
    return c.json({ status: isReady ? 'ready' : 'not_ready', components }, isReady ? 200 : 503);
  });
  return routes;
}
