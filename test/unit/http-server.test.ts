import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../adapters/node/index.ts';
import { AppError } from '../../src/errors.ts';
import { createHttpServer, type HttpServerParts } from '../../src/http/index.ts';
import { createMemoryChatStore } from '../fakes/memory-chat-store.ts';
import { openEvents } from '../support/event-stream.ts';
import { silentLog } from '../support/silent-log.ts';
import { startWebchat, TOKEN, takenPort } from '../support/webchat-server.ts';

const bearer = { authorization: `Bearer ${TOKEN}` };

function parts(change: Partial<HttpServerParts>): HttpServerParts {
  return {
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    isTokenConfigured: false,
    clock: createSystemClock(),
    log: silentLog,
    readiness: () => ({ isReady: true, components: {} }),
    runTool: async () => ({ status: 'unknown-tool' }),
    routes: [],
    ...change,
  };
}

/** With headers that `fetch` would not let a program set. */
function raw(url: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers, method }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    call.on('error', reject).end();
  });
}

describe('the token', () => {
  it('is required by every call to the API', async () => {
    const { url } = await startWebchat();
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: `Basic ${TOKEN}` },
      { cookie: `skein=${TOKEN}` },
    ]) {
      const response = await fetch(`${url}/api/webchat/conversations`, { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ error: { code: 'unauthorized', message: expect.any(String) } });
    }
    expect((await fetch(`${url}/api/webchat/conversations`, { headers: bearer })).status).toBe(200);
  });

  it('is not accepted in the address of an API call', async () => {
    const { url } = await startWebchat();
    expect((await fetch(`${url}/api/webchat/conversations?token=${TOKEN}`)).status).toBe(401);
  });

  it('turns into a cookie when the printed address is opened, and leaves the address', async () => {
    const { url } = await startWebchat();
    const opened = await fetch(`${url}/?token=${TOKEN}`, { redirect: 'manual' });
    expect(opened.status).toBe(303);
    expect(opened.headers.get('location')).toBe('/');
    const cookie = opened.headers.get('set-cookie')!;
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(cookie).not.toContain(TOKEN);
    const page = await fetch(`${url}/`, { headers: { cookie: cookie.split(';')[0]! } });
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain('data-composer');
    expect(html).not.toContain(TOKEN);
  });

  it('never leads to another host after signing in', async () => {
    const { url } = await startWebchat();
    const opened = await fetch(`${url}//evil.example/?token=${TOKEN}`, { redirect: 'manual' });
    expect(opened.headers.get('location')).toBe('/');
  });

  it('is asked for kindly where a person looks, with a status that programs understand', async () => {
    const { url } = await startWebchat();
    for (const path of ['/', '/c/general', '/?token=wrong']) {
      const response = await fetch(url + path);
      expect(response.status).toBe(401);
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(await response.text()).toContain('Open that address once in this browser');
    }
  });
});

describe('who may call', () => {
  it('refuses a Host header that is not ours, so that a rebound name reaches nothing', async () => {
    const { url } = await startWebchat();
    expect(await raw(`${url}/healthz`, { host: 'evil.example' })).toBe(403);
    expect(await raw(`${url}/api/webchat/conversations`, { ...bearer, host: 'evil.example:80' })).toBe(403);
    expect(await raw(`${url}/healthz`, { host: 'localhost:1234' })).toBe(200);
  });

  it('refuses changes and event streams that another site asks for', async () => {
    const { url } = await startWebchat();
    const foreign = { ...bearer, origin: 'http://127.0.0.1:9' };
    expect(await raw(`${url}/api/webchat/messages`, foreign, 'POST')).toBe(403);
    expect(await raw(`${url}/api/webchat/events`, foreign)).toBe(403);
    expect(await raw(`${url}/api/webchat/events`, { ...bearer, 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await raw(`${url}/api/webchat/messages`, { ...bearer, origin: url }, 'POST')).toBe(400);
  });

  it('forbids scripts of others, framing and sniffing on every answer, errors included', async () => {
    const { url } = await startWebchat();
    for (const path of ['/', '/healthz', '/api/nothing', '/assets/page.js']) {
      const { headers } = await fetch(url + path, { headers: bearer });
      expect(headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/);
      expect(headers.get('content-security-policy')).not.toMatch(/unsafe-inline/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      if (path.startsWith('/api')) expect(headers.get('cache-control')).toBe('no-store');
    }
  });
});

describe('probes', () => {
  it('need no token and say when the process is ready', async () => {
    let isReady = false;
    const readiness = () => ({ isReady, components: { store: isReady ? 'ready' : 'starting' } });
    const { url } = await startWebchat({ http: { readiness } });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const before = await fetch(`${url}/readyz`);
    expect(before.status).toBe(503);
    expect(await before.json()).toEqual({ status: 'not_ready', components: { store: 'starting' } });
    isReady = true;
    const after = await fetch(`${url}/readyz`);
    expect(after.status).toBe(200);
    expect(await after.json()).toEqual({ status: 'ready', components: { store: 'ready' } });
  });
});

describe('POST /api/tools/<name>', () => {
  const session = 'agent:main:main';

  it('answers with the tool’s result, refusals included', async () => {
    const runTool: HttpServerParts['runTool'] = async (name, key, args) => ({
      status: 'ok',
      result: { status: 'forbidden', name, key, args },
    });
    const { call } = await startWebchat({ http: { runTool } });
    const response = await call('/api/tools/sessions_spawn', { json: { session, arguments: { task: 'x' } } });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: 'forbidden',
      name: 'sessions_spawn',
      key: session,
      args: { task: 'x' },
    });
  });

  it.each(['unknown-tool', 'unknown-session'] as const)('answers 404 for %s', async (status) => {
    const { call } = await startWebchat({ http: { runTool: async () => ({ status }) } });
    const response = await call('/api/tools/nothing', { json: { session } });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: status.replace('-', '_') } });
  });

  it.each([
    ['no JSON', '{', /not JSON/],
    ['no session', '{"arguments":{}}', /session/],
    ['arguments of another kind', '{"session":"a","arguments":[]}', /arguments/],
    ['an unknown field', '{"session":"a","argument":{}}', /argument/],
  ])('answers 400 for %s and says what was expected', async (_, body, message) => {
    const { call } = await startWebchat();
    const response = await call('/api/tools/x', { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { code: 'bad_request', message: expect.stringMatching(message) },
    });
  });

  it('tells nothing of a fault inside', async () => {
    const runTool = async () => {
      throw new AppError('store-failed', 'secret path /home/me/.skein');
    };
    const { call } = await startWebchat({ http: { runTool } });
    const response = await call('/api/tools/x', { json: { session } });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
  });

  it('says that the disk is full, so that the caller knows when to try again', async () => {
    const runTool = async () => {
      throw new AppError('store-full', 'secret path /home/me/.skein');
    };
    const { call } = await startWebchat({ http: { runTool } });
    const response = await call('/api/tools/x', { json: { session } });
    expect(response.status).toBe(507);
    expect(await response.json()).toEqual({
      error: { code: 'storage_full', message: expect.stringMatching(/^There is no space left/) },
    });
  });
});

describe('bodies', () => {
  it('refuses more than 1 MiB with 413, whether or not the length is announced', async () => {
    const { call } = await startWebchat();
    const body = `{"session":"${'x'.repeat(1024 * 1024)}"}`;
    const announced = await call('/api/tools/x', { method: 'POST', body });
    expect(announced.status).toBe(413);
    expect(await announced.json()).toMatchObject({ error: { code: 'payload_too_large' } });
    const stream = new Blob([body]).stream();
    const chunked = await call('/api/tools/x', {
      method: 'POST',
      body: stream,
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
  });

  it('says that the connection ends after a 413, so that no client sends its next call on it', async () => {
    const { call } = await startWebchat();
    const body = 'x'.repeat(2 * 1024 * 1024);
    for (let round = 0; round < 5; round += 1) {
      const refused = await call('/api/tools/x', { method: 'POST', body });
      expect(refused.status).toBe(413);
      expect(refused.headers.get('connection')).toBe('close');
      expect((await call('/api/nothing')).status).toBe(404);
    }
  });

  it('answers unknown API paths in the same envelope', async () => {
    const { call } = await startWebchat();
    const response = await call('/api/nothing');
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: { code: 'not_found', message: expect.any(String) } });
  });
});

describe('starting and stopping', () => {
  it('names the setting to change when the port is taken', async () => {
    const port = await takenPort();
    await expect(createHttpServer(parts({ port })).start()).rejects.toMatchObject({
      code: 'port-in-use',
      message: expect.stringMatching(/http\.port.*SKEIN_PORT/),
    });
  });

  it('refuses to be reached from other machines without a token that somebody chose', async () => {
    await expect(createHttpServer(parts({ host: '0.0.0.0' })).start()).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('http.token'),
    });
    const chosen = createHttpServer(parts({ host: '0.0.0.0', isTokenConfigured: true }));
    expect((await chosen.start()).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    await chosen.stop();
  });

  it('forgets an event stream whose client has gone', async () => {
    const store = createMemoryChatStore();
    let reads = 0;
    const counted = {
      ...store,
      eventsAfter: (seq: number, limit: number) => {
        reads++;
        return store.eventsAfter(seq, limit);
      },
    };
    const { url, adapter } = await startWebchat({ store: counted });
    const say = (id: string) =>
      adapter.send({
        id,
        address: { channel: 'webchat', account: 'default', chatType: 'channel', conversation: 'general' },
        text: id,
      });
    const events = await openEvents(`${url}/api/webchat/events`, bearer);
    await say('1');
    await events.next();
    events.close();
    let sent = 1;
    await expect
      .poll(async () => {
        const before = reads;
        await say(`${++sent}`);
        return reads - before;
      })
      .toBe(0);
  });

  it('ends open event streams at once when it stops', async () => {
    const { url, stop } = await startWebchat();
    const events = await openEvents(`${url}/api/webchat/events`, bearer);
    const startedAt = Date.now();
    await Promise.all([stop(), events.ended()]);
    expect(Date.now() - startedAt).toBeLessThan(1_500);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });
});
