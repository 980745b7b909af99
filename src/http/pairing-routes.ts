/** `/api/pairings`: strangers who wait to be let in, and deciding about them. */
import { Hono } from 'hono';
import { z } from 'zod';
import type { Pairings } from '../access/pairing.ts';
import { AppError } from '../errors.ts';
import { refuse } from './reply.ts';

const Body = z.strictObject({ decision: z.enum(['approve', 'deny']) });

const VERDICTS = { approve: 'approved', deny: 'denied' } as const;

export function pairingRoutes(pairings: Pairings): Hono {
  const routes = new Hono().basePath('/api/pairings');
  routes.get('/', async (c) => c.json({ pairings: (await pairings.pending()).map(pairingView) }));
  routes.post('/:code', async (c) => {
    const { decision } = readBody(await c.req.text());
    const code = c.req.param('code');
    const pairing = await pairings.decide(code, VERDICTS[decision]);
    return pairing
      ? c.json(pairingView(pairing))
      : refuse(c, 404, 'unknown_code', `Nobody waits with the code "${code}".`);
  });
  return routes;
}

function pairingView({ channel, account, peer, name, code, requestedAt, expiresAt }: PairingRow) {
  return { channel, account, peer, name, code, requestedAt, expiresAt };
}
type PairingRow = Awaited<ReturnType<Pairings['pending']>>[number];

function readBody(text: string): z.infer<typeof Body> {
  try {
    return Body.parse(JSON.parse(text));
  } catch (cause) {
    throw new AppError('bad-request', 'Expected { "decision": "approve" } or { "decision": "deny" }.', {
      cause,
    });
  }
}
