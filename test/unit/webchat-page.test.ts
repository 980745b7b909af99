import { describe, expect, it } from 'vitest';
import type { RunCard } from '../../src/core/card.ts';
import { NO_USAGE } from '../../src/core/run.ts';
import { startWebchat, TOKEN } from '../support/webchat-server.ts';

const general = {
  channel: 'webchat',
  account: 'default',
  chatType: 'channel',
  conversation: 'general',
} as const;

function card(change: Partial<RunCard>): RunCard {
  return {
    runId: 'r',
    agent: 'main',
    label: 'tea',
    state: 'running',
    usage: NO_USAGE,
    activeChildren: 0,
    actions: [],
    ...change,
  };
}

describe('the page', () => {
  it('shows messages before any script runs, with their text made harmless', async () => {
    const { call, adapter } = await startWebchat();
    await adapter.send({ id: 'a', address: general, text: '<img src=x onerror=alert(1)> **hi**' });
    const html = await (await call('/c/general')).text();
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt; <strong>hi</strong>');
    expect(html).not.toContain('<img');
  });

  it('makes labels, titles, tools and notes of cards harmless too', async () => {
    const { call, adapter } = await startWebchat();
    const evil = '"><script>x</script>';
    const { messageId } = await adapter.send({
      id: 'a',
      address: general,
      text: evil,
      card: card({ label: evil, tool: evil, note: evil, actions: [{ label: evil, command: evil }] }),
    });
    await adapter.openThread({ address: general, messageId }, evil);
    const html = await (await call(`/c/general/t/${messageId}`)).text();
    expect(html).not.toContain('<script>x');
  });

  it('holds no inline script, style or event handler', async () => {
    const { call, adapter } = await startWebchat();
    await adapter.send({ id: 'a', address: general, text: 'x', card: card({}) });
    const html = await (await call('/')).text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+="/);
  });

  it('shows a card as it was stored last, so that a reload never shows old work', async () => {
    const { call, adapter } = await startWebchat();
    const { messageId } = await adapter.send({
      id: 'a',
      address: general,
      text: 'x',
      card: card({ startedAt: 1 }),
    });
    expect(await (await call('/')).text()).toContain('Working');
    await adapter.edit(
      { address: general, messageId },
      { address: general, text: 'x', card: card({ state: 'succeeded', startedAt: 1, endedAt: 61_001 }) },
    );
    const html = await (await call('/')).text();
    expect(html).toContain('Done');
    expect(html).toContain('1m 1s');
    expect(html).not.toContain('Working');
    expect(html).not.toContain('data-since');
  });

  it('offers the card’s commands, for the place that each is meant for', async () => {
    const { call, adapter } = await startWebchat();
    await adapter.send({
      id: 'a',
      address: general,
      text: 'x',
      card: card({ actions: [{ label: 'Stop', command: '/stop', thread: 't9' }] }),
    });
    expect(await (await call('/')).text()).toMatch(
      /data-command="\/stop"\s+data-conversation="general" data-thread="t9"/,
    );
  });

  it('tells somebody who has just come what to type', async () => {
    const { call } = await startWebchat();
    expect(await (await call('/')).text()).toContain('data-example="Look into');
  });

  it('answers 404 for a thread or channel that cannot be', async () => {
    const { call } = await startWebchat();
    for (const path of ['/c/general/t/nothing', '/c/No', '/c?name=%3Cx%3E', '/nothing']) {
      const response = await call(path);
      expect(response.status).toBe(404);
      expect(await response.text()).not.toContain('<x>');
    }
  });

  it('leads to a channel by its name', async () => {
    const { call } = await startWebchat();
    const response = await call('/c?name=Research', { redirect: 'manual' });
    expect(response.headers.get('location')).toBe('/c/research');
  });

  it('serves every asset that it names, each to be kept for good under its version', async () => {
    const { call, url } = await startWebchat();
    const html = await (await call('/')).text();
    const assets = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1]!);
    expect(assets.length).toBeGreaterThan(5);
    for (const asset of assets) {
      const response = await fetch(url + asset);
      expect(response.status).toBe(200);
      if (asset.includes('?v=')) expect(response.headers.get('cache-control')).toContain('immutable');
    }
    expect(
      (await fetch(`${url}/assets/..%2findex.ts`, { headers: { authorization: `Bearer ${TOKEN}` } })).status,
    ).toBe(404);
  });
});
