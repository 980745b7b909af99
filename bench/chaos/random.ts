/** Decisions that a seed repeats: the same seed gives the same numbers, whatever the machine does meanwhile. */

export interface Random {
  /** Between 0 and 1. */
  next(): number;
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  pick<T>(from: readonly T[]): T;
  /** Another one, whose numbers depend on the seed and `name` alone. */
  branch(name: string): Random;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x9e3779b9) >>> 0;
    return mix(state) / 2 ** 32;
  };
  return {
    next,
    below: (below) => Math.floor(next() * below),
    pick: (from) => from[Math.floor(next() * from.length)]!,
    branch: (name) => createRandom(hashOf(name, seed)),
  };
}

export function hashOf(text: string, seed = 0): number {
  let hash = seed >>> 0;
  for (const char of text) hash = mix((hash + char.codePointAt(0)!) >>> 0);
  return hash;
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
