/** Keys that no schema knows, each with the known key that was probably meant, if one is near. Pure. */
import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { closest, fold, nearest } from './nearest.ts';
import { allKnownPaths, childSchema, formatPath, knownKeys, type Path } from './schema-walk.ts';

export interface UnknownKey {
  readonly path: string;
  /** Absent: nothing known reads like it. */
  readonly nearest?: string;
}

export function unknownKeys(schema: z.core.$ZodType, value: unknown): readonly UnknownKey[] {
  return walk(schema, value, []).map((path) => {
    const meant = nearestKey(schema, path);
    return { path: formatPath(path), ...(meant && { nearest: formatPath(meant) }) };
  });
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
 * A sibling spelled much the same; else a key spelled much the same elsewhere (it was put at the wrong level); else there is
 * none.
 */
function nearestKey(root: z.core.$ZodType, path: Path): Path | undefined {
  const key = String(path.at(-1));
  const parent = path.slice(0, -1);
  const everywhere = allKnownPaths(root);
  const siblings = everywhere
    .filter((known) => isSameLevel(known, parent))
    .map((known) => String(known.at(-1)));
  const sibling = nearest(key, siblings);
  if (sibling !== undefined) return [...parent, sibling];
  const elsewhere = nearest(
    key,
    everywhere.map((known) => String(known.at(-1))),
  );
  const text = fold(formatPath(path));
  return closest(
    everywhere.filter((known) => known.at(-1) === elsewhere),
    (known) => distance(text, fold(formatPath(known))),
  );
}

function isSameLevel(known: Path, parent: Path): boolean {
  const names = parent.filter((key) => typeof key !== 'number');
  return (
    known.length === names.length + 1 &&
    names.every((name, index) => known[index] === '*' || known[index] === name)
  );
}
