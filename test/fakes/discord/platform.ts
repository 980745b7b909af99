/** What every rule of the fake has at hand: the world, its clock and ids, and the way to tell the gateway. */
import type { Settings } from './settings.ts';
import type { Snowflake } from './snowflakes.ts';
import type { Channel, Json, World } from './world.ts';

/** A gateway event on its way to those sessions that may see it. */
export interface GatewayEvent {
  readonly name: string;
  /** Without one it goes to the first shard. */
  readonly guildId?: Snowflake;
  /** The bot must be able to see this channel. */
  readonly channel?: Channel;
  /** The session must have asked for one of these intents; 0 goes to all. */
  readonly intents: number;
  /** The event for a session that has the message content intent, or has not. */
  readonly data: (hasContent: boolean) => Json;
}

export interface Platform {
  readonly world: World;
  readonly settings: Settings;
  readonly now: () => number;
  readonly newId: () => Snowflake;
  /** Where attachments can be fetched from, without a slash at the end. */
  readonly fileUrl: () => string;
  readonly publish: (event: GatewayEvent) => void;
  /** Wakes those who wait for something in the world. */
  readonly changed: () => void;
}

export const INTENTS = {
  guilds: 1 << 0,
  guildMembers: 1 << 1,
  guildPresences: 1 << 8,
  guildMessages: 1 << 9,
  guildReactions: 1 << 10,
  guildTyping: 1 << 11,
  directMessages: 1 << 12,
  directReactions: 1 << 13,
  directTyping: 1 << 14,
  messageContent: 1 << 15,
} as const;

export const APPLICATION_FLAGS = {
  presence: 1 << 12,
  presenceLimited: 1 << 13,
  guildMembers: 1 << 14,
  guildMembersLimited: 1 << 15,
  messageContent: 1 << 18,
  messageContentLimited: 1 << 19,
} as const;

export const hasContentFlag = (flags: number): boolean =>
  (flags & (APPLICATION_FLAGS.messageContent | APPLICATION_FLAGS.messageContentLimited)) !== 0;
