/**
 * SIGINT and SIGTERM: the first one asks to stop in order, a second one ends the process at once.
 */

/**
 * One press of Ctrl+C can arrive several times: from the terminal, and again from npm and the launcher, which pass it
 * on. Only a signal that comes later than this is a second one.
 */
const SAME_PRESS_MS = 1_000;

/** Resolves at the first signal. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        resolve();
      } else if (performance.now() - firstAt > SAME_PRESS_MS) {
        process.exit(signal === 'SIGINT' ? 130 : 143);
      }
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
