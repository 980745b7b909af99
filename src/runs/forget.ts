/**
 * Forgets what became of events that no platform offers again, and why old messages were dropped: in a busy server every
 * message leaves a row, also one that is not meant for the bot. Called by the sweeper; a small step at a time, since each
 * holds up other writers.
 */
import type { Commit } from '../commit.ts';
import type { Clock } from '../ports/clock.ts';

const DAY_MS = 24 * 3_600_000;
/** Missed messages are looked for a day back; the rest is for people who ask why they got no answer. */
const KEPT_MS = 30 * DAY_MS;
/** Once nothing old is left. A start has better things to do. */
const PAUSE_MS = 10 * 60_000;
const STEP = 500;

export function createForgetting({ commit, clock }: { commit: Commit; clock: Clock }): () => Promise<void> {
  let dueAt = clock.now() + PAUSE_MS;
  return async () => {
    const now = clock.now();
    if (now < dueAt) return;
    const forgotten = await commit(async (tx) => {
      await tx.pairings.removeVoid(now);
      return tx.admissions.forget(now - KEPT_MS, STEP);
    });
    if (forgotten < STEP) dueAt = now + PAUSE_MS;
  };
}
