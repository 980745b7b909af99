/** Keys that no schema knows, each with the known key that was probably meant. Pure. */
import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { allKnownPaths, childSchema, formatPath, knownKeys, type Path } from './schema-walk.ts';

export interface UnknownKey {
  readonly path: string;
  readonly nearest: string;
}

export function unknownKeys(schema: z.core.$ZodType, value: unknown): readonly UnknownKey[] {
  return walk(schema, value, []).map((path) => ({
    path: formatPath(path),
    nearest: formatPath(nearestKey(schema, path)),
  }));
}

function walk(schema: z.core.$ZodType, value: unknown, path: Path): readonly Path[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => descend(schema, index, item, path));
  }
  if (typeof value !== 'object' || value === null) return [];
  const known = knownKeys(schema);
  return Object.entries(value).flatMap(([key, item]) =>
    known !== undefined && !known.includes(key) ? [[...path, key]] : descend(schema, key, item, path),
  );
}

function descend(schema: z.core.$ZodType, key: PropertyKey, value: unknown, path: Path): readonly Path[] {
  const child = childSchema(schema, key);
  return child === undefined ? [] : walk(child, value, [...path, key]);
}

/**
 * A sibling spelled much the same; else a key of the same name elsewhere (it was put at the wrong level); else whatever
 * whole path comes closest.
 */
function nearestKey(root: z.core.$ZodType, path: Path): Path {
  const key = String(path.at(-1));
  const parent = path.slice(0, -1);
  const everywhere = allKnownPaths(root);
  const pattern = everywhere.filter((known) => isSameLevel(known, parent)).map((known) => known.at(-1)!);
  const sibling = closest(pattern, (name) => distance(fold(key), fold(String(name))));
  if (sibling !== undefined && distance(fold(key), fold(String(sibling))) <= Math.max(2, key.length / 3)) {
    return [...parent, sibling];
  }
  const text = fold(formatPath(path));
  const namesakes = everywhere.filter((known) => fold(String(known.at(-1))) === fold(key));
  const candidates = namesakes.length > 0 ? namesakes : everywhere;
  return closest(candidates, (known) => distance(text, fold(formatPath(known)))) ?? path;
}

function isSameLevel(known: Path, parent: Path): boolean {
  const names = parent.filter((key) => typeof key !== 'number');
  return (
    known.length === names.length + 1 &&
    names.every((name, index) => known[index] === '*' || known[index] === name)
  );
}

function closest<T>(candidates: readonly T[], cost: (candidate: T) => number): T | undefined {
  let best: { readonly candidate: T; readonly cost: number } | undefined;
  for (const candidate of candidates) {
    const price = cost(candidate);
    if (best === undefined || price < best.cost) best = { candidate, cost: price };
  }
  return best?.candidate;
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[_-]/g, '');
}
