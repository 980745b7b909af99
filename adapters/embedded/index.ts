/** What a single process needs instead of a queue server: run queue and live signals in memory. */
export { createInProcessLive } from './live.ts';
export { createEmbeddedRunQueue } from './run-queue.ts';
