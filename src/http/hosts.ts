/**
 * Which `Host` and `Origin` headers are ours. A page elsewhere can make a browser call us under a name of its own (DNS
 * rebinding) or post a form to us (cross-site); neither may get through. Pure.
 */
import { isIP } from 'node:net';

/** `127.0.0.0/8`, `::1`, `localhost` and names below it. Brackets of IPv6 addresses are tolerated. */
export function isLoopback(host: string): boolean {
  const name = withoutBrackets(host).toLowerCase();
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  if (isIP(name) === 4) return name.startsWith('127.');
  return name === '::1' || name === '::ffff:127.0.0.1';
}

/** Stands for every interface of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || withoutBrackets(host) === '::';
}

function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

function hostname(hostHeader: string): string | undefined {
  if (!/^[\w.:[\]-]+$/.test(hostHeader)) return undefined;
  return URL.canParse(`http://${hostHeader}`) ? new URL(`http://${hostHeader}`).hostname : undefined;
}

/**
 * Loopback names, the configured host, and, where the server listens on every interface, any IP address: rebinding needs
 * a name, so an address cannot be a disguise. The port is not looked at.
 */
export function isAllowedHost(hostHeader: string | undefined, configuredHost: string): boolean {
  const name = hostname(hostHeader ?? '');
  if (!name) return false;
  if (isLoopback(name)) return true;
  const plain = withoutBrackets(name);
  if (isWildcard(configuredHost)) return isIP(plain) !== 0;
  return plain.toLowerCase() === withoutBrackets(configuredHost).toLowerCase();
}

/**
 * Whether a request comes from our own page or from no page at all (a program sends neither header). The scheme is not
 * compared, since a proxy may add TLS.
 */
export function isOwnOrigin(headers: { host: string; origin?: string; fetchSite?: string }): boolean {
  const { host, origin, fetchSite } = headers;
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') return false;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === new URL(`http://${host}`).host;
}
