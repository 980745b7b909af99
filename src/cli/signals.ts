/**
 * SIGINT, SIGTERM and SIGHUP: the first one asks to stop in order, a second one ends the process at once.
 */

/**
 * One press of Ctrl+C can arrive several times: from the terminal, and again from npm and the launcher, which pass it
 * on. Only a signal that comes later than this is a second one.
 */
const SAME_PRESS_MS = 1_000;

/** 128 and the number of the signal, as shells have it. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Resolves at the first signal. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (signal: keyof typeof EXIT_CODES) => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        resolve();
      } else if (performance.now() - firstAt > SAME_PRESS_MS) {
        process.exit(EXIT_CODES[signal]);
      }
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    // The terminal is gone, or its owner has logged out.
    process.on('SIGHUP', onSignal);
  });
}
