/** The known name that a wrong one was probably meant to be. Pure. */
import { distance } from 'fastest-levenshtein';

/** The candidate that reads most like `name`; `undefined` when none is near enough to be meant. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const best = closest(candidates, (candidate) => distance(fold(name), fold(candidate)));
  return best !== undefined && isNear(name, best) ? best : undefined;
}

/** Two letters may differ, in long names a third of them, yet never all. */
function isNear(name: string, candidate: string): boolean {
  const differing = distance(fold(name), fold(candidate));
  return differing <= Math.max(2, name.length / 3) && differing < name.length;
}

export function closest<T>(candidates: readonly T[], cost: (candidate: T) => number): T | undefined {
  let best: { readonly candidate: T; readonly cost: number } | undefined;
  for (const candidate of candidates) {
    const price = cost(candidate);
    if (best === undefined || price < best.cost) best = { candidate, cost: price };
  }
  return best?.candidate;
}

/** Capitals, "_" and "-" make no difference. */
export function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[_-]/g, '');
}
