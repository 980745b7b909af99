/**
 * A short chaos run on each queue: processes are killed at random, and one stands still for longer than its lease, while
 * people talk. The long form is `npm run chaos`.
 */
import { expect, it } from 'vitest';
import { type Round, runRound } from '../../bench/chaos/round.ts';
import { missingRedis } from '../support/redis.ts';

const SHORT = { workers: 2, conversations: 8, messages: 60, kills: 10, stops: 1, seed: 7, keeps: false };

function whatPeopleSaw({ lost, duplicated, outOfOrder, leftOver }: Round) {
  return { lost, duplicated, outOfOrder, leftOver };
}

const NOTHING = { lost: [], duplicated: [], outOfOrder: [], leftOver: [] };

it('processes that are killed at random lose, repeat and confuse nothing on the embedded queue', async () => {
  const round = await runRound({ ...SHORT, driver: 'embedded', gatewayWorks: true });
  expect(whatPeopleSaw(round)).toEqual(NOTHING);
  expect(round.answeredOnce).toBe(round.accepted);
});

it.skipIf(missingRedis() !== undefined)(
  'workers and gateway that are killed at random lose, repeat and confuse nothing on Redis',
  async () => {
    const round = await runRound({ ...SHORT, driver: 'redis', gatewayWorks: false });
    expect(whatPeopleSaw(round)).toEqual(NOTHING);
    expect(round.answeredOnce).toBe(round.accepted);
  },
);
