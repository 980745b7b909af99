/**
 * Looks from time to time whether each lane goes on. A worker that takes nothing from one look to the next, though wakes
 * wait in Redis and it has room for them, has gone deaf (a connection that never woke up, a server that refuses it a
 * command), and nothing else would notice: adding works and Redis answers.
 */
import type { Clock } from '../../src/ports/clock.ts';

const LOOK_EVERY_MS = 10_000;

export interface LaneProgress {
  /** Wakes taken so far by this process. */
  readonly taken: number;
  /** Whether wakes wait in Redis while this process could take one. */
  readonly couldTake: boolean;
}

export interface WatchedLane {
  /** Undefined when it cannot be told now. */
  look(): Promise<LaneProgress | undefined>;
  /** Called when it took nothing between two looks though it could at both. */
  revive(): void;
}

/** Looks until the signal aborts. */
export function watchProgress(lanes: readonly WatchedLane[], clock: Clock, signal: AbortSignal): void {
  const before = new Map<WatchedLane, LaneProgress>();

  async function lookAt(lane: WatchedLane): Promise<void> {
    const last = before.get(lane);
    const now = await lane.look();
    before.delete(lane);
    if (signal.aborted || !now?.couldTake) return;
    if (last?.taken === now.taken) lane.revive();
    else before.set(lane, now);
  }

  const arm = () => {
    const cancel = clock.after(LOOK_EVERY_MS, () => {
      signal.removeEventListener('abort', cancel);
      void Promise.all(lanes.map(lookAt)).then(() => {
        if (!signal.aborted) arm();
      });
    });
    signal.addEventListener('abort', cancel, { once: true });
  };
  arm();
}
