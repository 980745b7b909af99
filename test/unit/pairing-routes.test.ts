import { expect, test } from 'vitest';
import { createErrorHandler } from '../../src/http/errors.ts';
import { pairingRoutes } from '../../src/http/pairing-routes.ts';
import type { Pairing } from '../../src/ports/store/index.ts';
import { silentLog } from '../support/silent-log.ts';

const ann: Pairing = {
  channel: 'discord',
  account: 'default',
  peer: '7',
  name: 'Ann',
  address: { channel: 'discord', account: 'default', chatType: 'direct', conversation: 'd' },
  code: 'ABCD-2345',
  status: 'pending',
  requestedAt: 1,
  expiresAt: 2,
};
const SHOWN = {
  channel: 'discord',
  account: 'default',
  peer: '7',
  name: 'Ann',
  code: 'ABCD-2345',
  requestedAt: 1,
  expiresAt: 2,
};

function start() {
  const decided: string[] = [];
  const routes = pairingRoutes({
    pending: async () => [ann],
    decide: async (code, verdict) => {
      decided.push(`${code} ${verdict}`);
      return code === ann.code ? ann : undefined;
    },
  });
  routes.onError(createErrorHandler(silentLog));
  const decide = (code: string, body: string) =>
    routes.request(`/api/pairings/${code}`, { method: 'POST', body });
  return { routes, decide, decided };
}

test('GET /api/pairings tells who waits, without the place where they wrote', async () => {
  const answer = await start().routes.request('/api/pairings');
  expect(await answer.json()).toEqual({ pairings: [SHOWN] });
});

test('POST /api/pairings/<code> decides about one of them', async () => {
  const { decide, decided } = start();
  const answer = await decide('ABCD-2345', '{"decision":"approve"}');
  expect([answer.status, await answer.json()]).toEqual([200, SHOWN]);
  expect((await decide('ABCD-2345', '{"decision":"deny"}')).status).toBe(200);
  expect(decided).toEqual(['ABCD-2345 approved', 'ABCD-2345 denied']);
});

test('a code that nobody waits with is 404, a decision that is none 400', async () => {
  const { decide, decided } = start();
  const unknown = await decide('ZZZZ-ZZZZ', '{"decision":"deny"}');
  expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { code: 'unknown_code' } }]);
  for (const body of ['', '{}', '{"decision":"maybe"}', '{"decision":"deny","why":"x"}'])
    expect((await decide('ABCD-2345', body)).status).toBe(400);
  expect(decided).toEqual(['ZZZZ-ZZZZ denied']);
});
