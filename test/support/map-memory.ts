/** An adapter's memory without a disk; it outlives the adapters that are given it. */
import type { AdapterMemory } from '../../src/ports/adapter-memory.ts';

export function createMapMemory(): AdapterMemory {
  const entries = new Map<string, string>();
  return {
    list: async (prefix) =>
      [...entries]
        .filter(([key]) => key.startsWith(prefix))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, value]) => ({ key, value })),
    set: async (key, value) => void entries.set(key, value),
    remove: async (key) => void entries.delete(key),
  };
}
