/**
 * Forgets what became of events that no platform offers again, why old messages were dropped, and where nothing has happened
 * for long: in a busy server every message leaves a row, also one that is not meant for the bot. Missed messages that nobody
 * has decided about are left unanswered. Called by the sweeper; a small step at a time, since each holds up other writers.
 */
import type { Commit } from '../commit.ts';
import type { Clock } from '../ports/clock.ts';
import type { AnswerMissed } from './answer-missed.ts';

const DAY_MS = 24 * 3_600_000;
/** Missed messages are looked for a day back; the rest is for people who ask why they got no answer. */
const KEPT_MS = 30 * DAY_MS;
/** Once nothing old is left. A start has better things to do. */
const PAUSE_MS = 10 * 60_000;
const STEP = 500;
/** In each of them up to a hundred messages wait. */
const PLACES_STEP = 5;

export interface ForgettingDeps {
  readonly commit: Commit;
  readonly answerMissed: AnswerMissed;
  readonly clock: Clock;
}

export function createForgetting({ commit, answerMissed, clock }: ForgettingDeps): () => Promise<void> {
  let dueAt = clock.now() + PAUSE_MS;
  return async () => {
    const now = clock.now();
    if (now < dueAt) return;
    const before = now - KEPT_MS;
    const isMoreLeft = await commit(async (tx, after) => {
      await tx.pairings.removeVoid(now);
      const undecided = await tx.cursors.undecided(before, PLACES_STEP);
      for (const address of undecided) await answerMissed(tx, after, address, 'none');
      const cursors = await tx.cursors.forget(before, STEP);
      const admissions = await tx.admissions.forget(before, STEP);
      return undecided.length === PLACES_STEP || cursors === STEP || admissions === STEP;
    });
    if (!isMoreLeft) dueAt = now + PAUSE_MS;
  };
}
