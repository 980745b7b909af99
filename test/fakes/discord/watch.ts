/** Waiting for something in the world to come true: asked at once and after each change, until a deadline. */
export interface Watch {
  /** Everything that may make a condition true calls this. */
  changed(): void;
  /** Resolves with the first answer that is not undefined; rejects when the time is up, saying what there was instead. */
  until<T>(probe: () => T | undefined, wait: Wait): Promise<T>;
}

export interface Wait {
  readonly what: string;
  /** Default 10 s. */
  readonly timeoutMs?: number;
  readonly seen?: () => unknown;
}

const DEFAULT_TIMEOUT_MS = 10_000;

export function createWatch(): Watch {
  const waiting = new Set<() => void>();
  return {
    changed: () => {
      for (const ask of [...waiting]) ask();
    },
    until: (probe, { what, timeoutMs = DEFAULT_TIMEOUT_MS, seen }) => {
      const found = probe();
      if (found !== undefined) return Promise.resolve(found);
      // Made here, so that its stack leads to the test that waits.
      const tooLate = new Error(`waited ${timeoutMs} ms for ${what}`);
      return new Promise((resolve, reject) => {
        const end = () => {
          waiting.delete(ask);
          clearTimeout(timer);
        };
        const ask = () => {
          const value = probe();
          if (value === undefined) return;
          end();
          resolve(value);
        };
        const timer = setTimeout(() => {
          end();
          if (seen) tooLate.message += `; there was: ${JSON.stringify(seen(), null, 1)}`;
          reject(tooLate);
        }, timeoutMs);
        waiting.add(ask);
      });
    },
  };
}
