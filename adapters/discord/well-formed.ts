/**
 * What is sent to Discord, without halves of characters: it would refuse the whole request for one. Each becomes the sign for
 * what cannot be shown.
 */

/** A copy, at any depth. Whatever is no text stays as it is. */
export function wellFormed<T>(value: T): T {
  return mended(value) as T;
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, mended(part)]));
}
