/**
 * All that goes out to Discord, put together: messages, threads, and the lossy signs of work.
 */
import type { REST } from 'discord.js';
import type { AdapterMemory } from '../../src/ports/adapter-memory.ts';
import type { ChannelAdapter } from '../../src/ports/channel.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';

export interface OutboundParts {
  /** Of the account's client, made with `restOptions`; it has its token before anything is called. */
  readonly rest: REST;
  readonly clock: Clock;
  readonly log: Log;
  readonly memory: AdapterMemory;
  /** Whether a reply that is still being written is shown. */
  readonly streaming: 'off' | 'partial';
}

type Out = 'send' | 'findSent' | 'openThread' | 'edit' | 'setTyping' | 'setQueued' | 'preview';

export interface DiscordOutbound extends Required<Pick<ChannelAdapter, Out>> {
  /** Removes what a crash has left standing; to be called once after connecting. Never rejects. */
  cleanUp(): Promise<void>;
  /** Ends the signs of work and waits for calls that remove them. The client may be destroyed afterwards. Idempotent. */
  stop(): Promise<void>;
}

export function createDiscordOutbound(_parts: OutboundParts): DiscordOutbound {
  throw new Error('being built');
}
