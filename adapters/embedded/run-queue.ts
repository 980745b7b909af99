/**
 * The run queue of one process: lanes in memory, nothing to install. A wake that is lost with the process is no loss, since
 * the store still knows which sessions have work and wakes them at the next start.
 *
 *   wake → waiting (one entry a session, oldest first) → handler, while the lane has room and the session is not busy
 */
import type { SessionKey } from '../../src/core/ids.ts';
import type { Lane } from '../../src/core/run.ts';
import { asError } from '../../src/errors.ts';
import type { Log } from '../../src/ports/log.ts';
import type { RunQueue, Wake } from '../../src/ports/run-queue.ts';

interface LaneState {
  /** In order of waking; a session stands in it once. */
  readonly waiting: Set<SessionKey>;
  active: number;
  /** 0 until the lane is worked. */
  concurrency: number;
}

export function createEmbeddedRunQueue({ log }: { log: Log }): RunQueue {
  const lanes = new Map<Lane, LaneState>();
  /** Over all lanes: a session that is busy in one must not begin in another. */
  const busy = new Set<SessionKey>();
  const running = new Set<Promise<void>>();
  let handle: ((wake: Wake) => Promise<void>) | undefined;
  let isClosed = false;

  function laneState(lane: Lane): LaneState {
    let state = lanes.get(lane);
    if (!state) {
      state = { waiting: new Set(), active: 0, concurrency: 0 };
      lanes.set(lane, state);
    }
    return state;
  }

  /** Passes over at most as many sessions as are busy. */
  function nextIdle(waiting: ReadonlySet<SessionKey>): SessionKey | undefined {
    for (const sessionKey of waiting) if (!busy.has(sessionKey)) return sessionKey;
    return undefined;
  }

  function fill(lane: Lane, state: LaneState): void {
    while (state.active < state.concurrency) {
      const sessionKey = nextIdle(state.waiting);
      if (sessionKey === undefined) return;
      state.waiting.delete(sessionKey);
      state.active++;
      busy.add(sessionKey);
      const turn = run({ lane, sessionKey }, state).finally(() => running.delete(turn));
      running.add(turn);
    }
  }

  async function run(wake: Wake, state: LaneState): Promise<void> {
    try {
      // The handler begins in a later microtask, so that whoever woke it has returned from `wake` first.
      await Promise.resolve();
      await handle?.(wake);
    } catch (thrown) {
      log.error({ ...wake, err: asError(thrown) }, 'a run handler failed');
    }
    state.active--;
    busy.delete(wake.sessionKey);
    // Another lane may have waited for this session.
    for (const [lane, other] of lanes) fill(lane, other);
  }

  return {
    async wake({ lane, sessionKey }) {
      if (isClosed) return;
      const state = laneState(lane);
      state.waiting.add(sessionKey);
      fill(lane, state);
    },

    work(worked, handler) {
      if (handle) throw new Error('work() was called twice on one run queue');
      if (isClosed) return;
      handle = handler;
      for (const [lane, { concurrency }] of worked) {
        const state = laneState(lane);
        state.concurrency = concurrency;
        fill(lane, state);
      }
    },

    async stats() {
      const states = [...lanes.values()];
      return {
        waiting: states.reduce((sum, state) => sum + state.waiting.size, 0),
        active: states.reduce((sum, state) => sum + state.active, 0),
      };
    },

    async close() {
      isClosed = true;
      for (const state of lanes.values()) state.waiting.clear();
      await Promise.all(running);
    },
  };
}
