import { describe, expect, it } from 'vitest';
import { isAllowedHost, isLoopback, isOwnOrigin } from '../../src/http/hosts.ts';

describe('Host headers', () => {
  it.each([
    '127.0.0.1:4280',
    'localhost',
    'localhost:80',
    'LOCALHOST:1',
    '[::1]:4280',
    '127.8.9.1',
    'a.localhost:1',
  ])('accepts the loopback name %s whatever the configured host is', (host) =>
    expect(isAllowedHost(host, '127.0.0.1')).toBe(true),
  );

  it.each([
    'evil.example',
    'evil.example:4280',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '192.168.1.5:4280',
    '',
    'user@127.0.0.1',
    '127.0.0.1/../x',
    'a b',
  ])('refuses %j where only loopback is listened on', (host) =>
    expect(isAllowedHost(host, '127.0.0.1')).toBe(false),
  );

  it('refuses a request without a Host header', () => {
    expect(isAllowedHost(undefined, '127.0.0.1')).toBe(false);
  });

  it('accepts the configured name and no other', () => {
    expect(isAllowedHost('bot.lan:4280', 'bot.lan')).toBe(true);
    expect(isAllowedHost('Bot.LAN', 'bot.lan')).toBe(true);
    expect(isAllowedHost('other.lan', 'bot.lan')).toBe(false);
  });

  it('accepts any address, but no name, where every interface is listened on', () => {
    expect(isAllowedHost('192.168.1.5:4280', '0.0.0.0')).toBe(true);
    expect(isAllowedHost('[fd00::5]:4280', '::')).toBe(true);
    expect(isAllowedHost('rebound.example', '0.0.0.0')).toBe(false);
  });

  it('knows what is loopback', () => {
    expect(['127.0.0.1', '::1', '[::1]', 'localhost'].every(isLoopback)).toBe(true);
    expect(['0.0.0.0', '::', '10.0.0.1', 'localhosts', '127.evil.example'].some(isLoopback)).toBe(false);
  });
});

describe('Origin headers', () => {
  const host = '127.0.0.1:4280';

  it('lets programs pass, which send none', () => {
    expect(isOwnOrigin({ host })).toBe(true);
  });

  it('lets our own page pass, also behind a proxy that adds TLS', () => {
    expect(isOwnOrigin({ host, origin: 'http://127.0.0.1:4280', fetchSite: 'same-origin' })).toBe(true);
    expect(isOwnOrigin({ host: 'bot.lan', origin: 'https://bot.lan' })).toBe(true);
  });

  it.each(['http://127.0.0.1:9999', 'http://evil.example', 'null', 'http://localhost:4280', ''])(
    'refuses the origin %j, another port of this machine included',
    (origin) => expect(isOwnOrigin({ host, origin })).toBe(false),
  );

  it.each(['cross-site', 'same-site'])('refuses a browser that says %s', (fetchSite) =>
    expect(isOwnOrigin({ host, fetchSite })).toBe(false),
  );
});
