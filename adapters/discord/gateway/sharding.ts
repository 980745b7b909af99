/**
 * How discord.js is to run its connections: none goes on once everything stops, and what it cannot read of the gateway ends
 * in the log. It would end the process otherwise, for every channel, and again after each start if a server is described so.
 */
import { type Client, SimpleShardingStrategy, type WebSocketOptions } from 'discord.js';
import { asError } from '../../../src/errors.ts';

type OnUnread = (error: Error) => void;

/** For the client's options. `signal`: everything stops. */
export function steadySharding(signal: AbortSignal, onUnread: OnUnread): WebSocketOptions {
  return {
    buildStrategy(shards) {
      stopWith(signal, shards.options);
      const strategy = new SimpleShardingStrategy(shards);
      const spawn = strategy.spawn.bind(strategy);
      strategy.spawn = async (ids) => {
        await spawn(ids);
        const spawned = Reflect.get(strategy, 'shards') as ReadonlyMap<number, object>;
        for (const shard of spawned.values()) guard(shard, 'onMessage', onUnread);
      };
      return strategy;
    },
  };
}

/** The client keeps events back until it is ready, and handles them later on its own. */
export function guardPackets({ ws }: Client, onUnread: OnUnread): void {
  guard(ws, 'handlePacket', onUnread);
}

interface RetrievesSession {
  retrieveSessionInfo(id: number): unknown;
}

/** discord.js goes on connecting when it is destroyed amid doing so; a shard that is told nothing does not. */
function stopWith(signal: AbortSignal, options: RetrievesSession): void {
  const { retrieveSessionInfo } = options;
  const stuck = new Promise<null>(() => undefined);
  Object.assign(options, {
    retrieveSessionInfo: (id: number) => (signal.aborted ? stuck : retrieveSessionInfo(id)),
  });
}

/** Nobody catches what these methods throw. */
function guard(owner: object, method: string, onUnread: OnUnread): void {
  const original = Reflect.get(owner, method) as (...given: unknown[]) => unknown;
  Reflect.set(owner, method, async (...given: unknown[]) => {
    try {
      await original.apply(owner, given);
    } catch (thrown) {
      onUnread(asError(thrown));
    }
  });
}
