/**
 * One handler a session at a time within this process. Redis sees to that within a lane as long as it remembers the
 * wake; this holds also between two lanes, and when a wake comes back while its handler is still at work (the process or
 * Redis stood still for longer than a lock lasts, or Redis lost its data).
 *
 *   take → free: handler | busy: done for Redis, postponed here → the handler returns → woken again through Redis
 */
import type { SessionKey } from '../../src/core/ids.ts';
import { asError } from '../../src/errors.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Wake } from '../../src/ports/run-queue.ts';

export interface SessionTurns {
  /** Resolves when Redis may forget the wake. Never rejects. */
  take(wake: Wake): Promise<void>;
  /** Wakes that are in this process alone. */
  postponedCount(): number;
  /** Resolves when no handler is running any more. */
  idle(): Promise<void>;
}

export interface TurnOwner {
  handle(wake: Wake): Promise<void>;
  /** Puts a postponed wake back into Redis, however long that takes. Never rejects. */
  wakeAgain(wake: Wake): Promise<void>;
}

export function createSessionTurns(owner: TurnOwner, log: Log): SessionTurns {
  const busy = new Set<SessionKey>();
  const running = new Set<Promise<void>>();
  const postponed = new Map<SessionKey, Map<string, Wake>>();
  let returning = 0;

  async function run(wake: Wake): Promise<void> {
    try {
      await owner.handle(wake);
    } catch (thrown) {
      log.error({ ...wake, err: asError(thrown) }, 'a run handler failed');
    }
    busy.delete(wake.sessionKey);
    const others = [...(postponed.get(wake.sessionKey)?.values() ?? [])];
    postponed.delete(wake.sessionKey);
    for (const other of others) void giveBack(other);
  }

  async function giveBack(wake: Wake): Promise<void> {
    returning++;
    await owner.wakeAgain(wake);
    returning--;
  }

  return {
    take(wake) {
      const { lane, sessionKey } = wake;
      if (busy.has(sessionKey)) {
        postponed.set(sessionKey, new Map(postponed.get(sessionKey)).set(lane, wake));
        return Promise.resolve();
      }
      busy.add(sessionKey);
      const turn = run(wake).finally(() => running.delete(turn));
      running.add(turn);
      return turn;
    },

    postponedCount: () => [...postponed.values()].reduce((sum, { size }) => sum + size, returning),

    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
