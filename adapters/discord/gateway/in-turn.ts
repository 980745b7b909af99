/**
 * Work in the order in which it came in, place by place; places do not wait for each other. What fails for now, such as
 * that the store is busy, is done again until it succeeds or everything stops, so that nothing is overtaken or lost.
 */
import { asError } from '../../../src/errors.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import { isPassing, retry } from '../retry.ts';

const PACE = { firstMs: 100, longestMs: 5_000 };

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
  if (signal.aborted) return undefined;
  const onPause = (err: Error) => log.warn({ ...fields, err }, 'an event of Discord has to wait');
  try {
    return await retry(work, PACE, { clock, signal, onPause });
  } catch (thrown) {
    // One that would pass comes out only because everything stops.
    if (!isPassing(thrown))
      log.error({ ...fields, err: asError(thrown) }, 'an event of Discord could not be handled');
    return undefined;
  }
}
