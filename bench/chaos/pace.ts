/** How far somebody has come, as a share from 0 to 1, so that others can keep pace with it. */

export interface Pace {
  reach(share: number): void;
  /** Resolves when at least that share is reached; at once for a share that is. */
  until(share: number): Promise<void>;
}

export function createPace(): Pace {
  let reached = 0;
  const waiting = new Set<{ readonly share: number; readonly go: () => void }>();
  return {
    reach(share) {
      reached = Math.max(reached, share);
      for (const one of waiting) {
        if (one.share > reached) continue;
        waiting.delete(one);
        one.go();
      }
    },
    until: (share) =>
      share <= reached ? Promise.resolve() : new Promise((go) => waiting.add({ share, go })),
  };
}
