/**
 * Work in the order in which it came in, place by place; places do not wait for each other. What fails for now, such as
 * that the store is busy, is done again until it succeeds or everything stops, so that nothing is overtaken or lost.
 */
import { AppError, asError } from '../../src/errors.ts';
import { type Clock, sleep } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

export interface InTurn {
  /** `work` must not reject. Resolves once it is done. */
  at(place: string, work: () => Promise<void>): Promise<void>;
  /** All that has been given so far. */
  settled(): Promise<void>;
}

export function createInTurn(): InTurn {
  const last = new Map<string, Promise<void>>();
  return {
    async at(place, work) {
      const turn = (last.get(place) ?? Promise.resolve()).then(work);
      last.set(place, turn);
      await turn;
      if (last.get(place) === turn) last.delete(place);
    },
    async settled() {
      await Promise.all(last.values());
    },
  };
}

export interface Insist {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Never rejects: `undefined` when it failed for good, which is logged with `fields`, or when everything stops. */
export async function insist<T>(
  { clock, log, signal }: Insist,
  fields: Record<string, unknown>,
  work: () => Promise<T>,
): Promise<T | undefined> {
  for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (thrown) {
      const isPassing = thrown instanceof AppError && thrown.isRetryable;
      if (!isPassing) {
        log.error({ ...fields, err: asError(thrown) }, 'an event of Discord could not be handled');
        return undefined;
      }
      log.warn({ ...fields, err: asError(thrown) }, 'an event of Discord has to wait');
    }
    await sleep(clock, wait, signal);
  }
  return undefined;
}
