/**
 * Live signals between processes, over Redis pub/sub. Listeners of this process are told by the local port, at once and
 * in order; the other processes hear the same event from Redis, if Redis is there. Nothing is kept: an event that cannot
 * be sent now is dropped.
 */
import type { Clock } from '../../src/ports/clock.ts';
import type { Ids } from '../../src/ports/ids.ts';
import type { Live, LiveEvent } from '../../src/ports/live.ts';
import type { Log } from '../../src/ports/log.ts';
import { createConnectionWatch } from './connection-watch.ts';
import { parseLiveEnvelope } from './live-schema.ts';
import { createRedisClient, keyPrefix, parseRedisUrl, type RedisClient } from './redis-client.ts';

/** Events that Redis has not yet taken. Beyond this it is too slow for them, and they are dropped. */
const MOST_UNSENT = 1000;

export interface RedisLive extends Live {
  /** Resolves when events of other processes are heard, or as soon as it is clear that Redis is away now. */
  start(): Promise<void>;
  /** Sends and hears nothing more; local listeners stay. Idempotent. */
  close(): Promise<void>;
}

export interface RedisLiveOptions {
  readonly url: string;
  readonly prefix: string;
  /** Tells the listeners of this process. */
  readonly local: Live;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
}

export function createRedisLive(options: RedisLiveOptions): RedisLive {
  const { url, local, clock } = options;
  const log = options.log.child({ redis: parseRedisUrl(url).label });
  const channel = `${keyPrefix(url, options.prefix)}:live`;
  const from = options.ids.uuid();
  const watch = createConnectionWatch(
    { log, clock },
    {
      down: 'Redis cannot be reached: live signals stay within this process',
      back: 'live signals reach other processes again',
    },
  );
  let publisher: RedisClient | undefined;
  let unsent = 0;

  function send(event: LiveEvent): void {
    if (publisher?.status !== 'ready' || unsent >= MOST_UNSENT) return;
    unsent++;
    const sent = () => {
      unsent--;
    };
    publisher.publish(channel, JSON.stringify({ from, event })).then(sent, sent);
  }

  function receive(message: string): void {
    const envelope = parseLiveEnvelope(message);
    if (envelope === undefined) watch.fault(new Error('a live event from another process is not understood'));
    else if (envelope.from !== from) local.publish(envelope.event);
  }

  return {
    publish(event) {
      send(event);
      local.publish(event);
    },

    subscribe: (handler) => local.subscribe(handler),

    async start() {
      publisher = createRedisClient(url, 'at-once', watch.add);
      const subscriber = createRedisClient(url, 'wait', watch.add);
      subscriber.on('message', (_channel: string, message: string) => receive(message));
      // Waits for the connection; later ones subscribe again by themselves.
      const subscribed = subscriber.subscribe(channel).then(
        () => undefined,
        (thrown) => watch.fault(thrown),
      );
      await Promise.race([
        Promise.all([subscribed, outcome(publisher, 'ready')]),
        outcome(publisher, 'close'),
        outcome(subscriber, 'close'),
      ]);
    },

    async close() {
      publisher = undefined;
      watch.disconnect();
    },
  };
}

function outcome(client: RedisClient, event: 'ready' | 'close'): Promise<void> {
  if (event === 'ready' && client.status === 'ready') return Promise.resolve();
  return new Promise((resolve) => client.once(event, () => resolve()));
}
