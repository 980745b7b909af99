/** One account of Discord: how it is set up, and what everything that receives for it works with. */
import type { Address } from '../../src/core/address.ts';
import type { PlaceFacts } from '../../src/core/message.ts';
import type { AdapterMemory } from '../../src/ports/adapter-memory.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';

export interface DiscordAdapterParts {
  readonly account: string;
  readonly token: string;
  /** The REST base, without version; absent: Discord's own. The gateway's address is asked for there. */
  readonly apiUrl?: string;
  /** Whether a reply that is still being written is shown. */
  readonly streaming: 'off' | 'partial';
  readonly commands: CommandSettings;
  /** Whether messages there may count without being addressed to the bot, so that their files are worth fetching. */
  hearsUnaddressed(address: Address, place: PlaceFacts): boolean;
  readonly memory: AdapterMemory;
  readonly clock: Clock;
  readonly log: Log;
}

export interface CommandSettings {
  /** False: there are no slash commands. */
  readonly isNative: boolean;
  /** Only in these servers; absent: everywhere. */
  readonly guilds?: readonly string[];
  /** Whether answers are seen by the person alone who gave the command. */
  readonly isEphemeral: boolean;
}

/** The bot itself, as the gateway introduces it. */
export interface Self {
  readonly id: string;
  readonly name: string;
}
