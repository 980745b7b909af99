import { expect, test } from 'vitest';
import { type LaneProgress, watchProgress } from '../../adapters/bullmq/progress-watch.ts';
import { createManualClock } from '../fakes/manual-clock.ts';

const LOOK_MS = 10_000;

/** Looks once for each answer; says after which looks the lane was revived. */
async function look(answers: readonly (LaneProgress | undefined)[]): Promise<readonly number[]> {
  const clock = createManualClock();
  const revivedAfter: number[] = [];
  let looks = 0;
  const lane = {
    look: async () => answers[looks++],
    revive: () => void revivedAfter.push(looks),
  };
  const closing = new AbortController();
  watchProgress([lane], clock, closing.signal);
  for (const _ of answers) {
    clock.advance(LOOK_MS);
    await new Promise((resolve) => setImmediate(resolve));
  }
  closing.abort();
  clock.advance(10 * LOOK_MS);
  expect(looks).toBe(answers.length);
  return revivedAfter;
}

const deaf = { taken: 3, couldTake: true };

test('a lane that takes nothing between two looks although it could is revived', async () => {
  expect(await look([deaf, deaf])).toEqual([2]);
});

test('a lane that stays deaf is revived at every second look', async () => {
  expect(await look([deaf, deaf, deaf, deaf])).toEqual([2, 4]);
});

test('a lane that goes on is left alone, however long its wakes wait', async () => {
  const going = [3, 4, 5, 6].map((taken) => ({ taken, couldTake: true }));
  expect(await look(going)).toEqual([]);
});

test('a lane that is full or has nothing to take is left alone', async () => {
  const idle = { taken: 3, couldTake: false };
  expect(await look([idle, idle, deaf, idle, deaf])).toEqual([]);
});

test('nothing is concluded from a look that could not be taken', async () => {
  expect(await look([deaf, undefined, deaf])).toEqual([]);
});
