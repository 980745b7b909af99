/**
 * Watches the connections of one part of Skein and says in the log what an operator needs: one line when the first of
 * them breaks, one when all are back, and each kind of other error once a minute at most.
 */
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import type { RedisClient } from './redis-client.ts';
import { asRedisError } from './redis-error.ts';

/** Connections that break again within this time (a replica that was taken for the primary) were not back. */
const SETTLED_AFTER_MS = 1000;
const REPEAT_AFTER_MS = 60_000;
const MOST_KINDS = 50;

export interface ConnectionWatch {
  readonly add: (client: RedisClient) => void;
  /** An error that is not about a connection, or that repeats what the connections say: then it is not logged again. */
  fault(thrown: unknown): void;
  isDown(): boolean;
  /** Says nothing more: from now on connections end on purpose. */
  mute(): void;
  /** Ends all connections at once; whatever they still do is void. */
  disconnect(): void;
}

export interface WatchWords {
  readonly down: string;
  readonly back: string;
}

export function createConnectionWatch(
  { log, clock }: { log: Log; clock: Clock },
  words: WatchWords,
): ConnectionWatch {
  const clients = new Set<RedisClient>();
  const broken = new Set<RedisClient>();
  const lastSaidAt = new Map<string, number>();
  let downAt: number | undefined;
  let cancelBack: () => void = () => undefined;
  let isMuted = false;

  function breaks(client: RedisClient, error?: Error): void {
    broken.add(client);
    cancelBack();
    if (downAt !== undefined) return;
    downAt = clock.now();
    if (!isMuted) log.warn(error ? { err: asRedisError(error) } : {}, words.down);
  }

  function heals(client: RedisClient): void {
    if (!broken.delete(client) || broken.size > 0) return;
    const backAt = clock.now();
    cancelBack();
    cancelBack = clock.after(SETTLED_AFTER_MS, () => {
      if (!isMuted) log.info({ downMs: backAt - (downAt ?? backAt) }, words.back);
      downAt = undefined;
    });
  }

  return {
    add(client) {
      clients.add(client);
      client.on('error', (error: Error) => {
        if (client.status !== 'ready') breaks(client, error);
      });
      // Not 'close': that comes also when its owner ends it.
      client.on('reconnecting', () => breaks(client));
      client.on('ready', () => heals(client));
      // Ended on purpose, for good or to be connected anew.
      client.on('end', () => {
        clients.delete(client);
        heals(client);
      });
      client.on('connecting', () => clients.add(client));
    },

    fault(thrown) {
      const error = asRedisError(thrown);
      if (isMuted || downAt !== undefined) return;
      const kind = error.message.replaceAll(/\S*\d\S*/g, '#');
      const now = clock.now();
      if (now - (lastSaidAt.get(kind) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER_MS) return;
      if (lastSaidAt.size >= MOST_KINDS) lastSaidAt.clear();
      lastSaidAt.set(kind, now);
      log.warn({ err: error }, 'the run queue met an error in Redis');
    },

    isDown: () => broken.size > 0,

    mute() {
      isMuted = true;
      cancelBack();
    },

    disconnect() {
      this.mute();
      for (const client of clients) client.disconnect();
    },
  };
}
