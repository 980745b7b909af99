/** How long a provider asks us to wait, from its response headers, in milliseconds. */

export function retryAfterMs(
  headers: Readonly<Record<string, string>> | undefined,
  now: number,
): number | undefined {
  const exact = Number(headers?.['retry-after-ms'] ?? Number.NaN);
  if (exact >= 0) return Math.ceil(exact);
  const value = headers?.['retry-after']?.trim();
  if (!value) return undefined;
  const seconds = Number(value);
  if (seconds >= 0) return Math.ceil(seconds * 1000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
