/** One session of the gateway: its events are numbered and kept, so that a resumed connection hears what it missed. */
import type { WebSocket } from 'ws';
import { may } from './permissions.ts';
import { type GatewayEvent, INTENTS, type Platform } from './platform.ts';
import type { Json } from './world.ts';

export interface GatewaySession {
  readonly id: string;
  readonly intents: number;
  readonly shard: readonly [index: number, count: number];
  /** The number of the last event. */
  sequence: number;
  /** Everything sent or to be sent, oldest first. */
  readonly events: { readonly sequence: number; readonly frame: string }[];
  socket: WebSocket | undefined;
}

/** At least so many events are kept for a resume; who missed more begins a new session. */
const KEPT_EVENTS = 10_000;

export const shardOf = (guildId: string | undefined, count: number): number =>
  guildId === undefined ? 0 : Number((BigInt(guildId) >> 22n) % BigInt(count));

/** Gives the session its next event; it goes out at once where there is a connection. */
export function pushEvent(session: GatewaySession, name: string, data: Json): void {
  session.sequence += 1;
  const frame = JSON.stringify({ op: 0, t: name, s: session.sequence, d: data });
  session.events.push({ sequence: session.sequence, frame });
  if (session.events.length > 2 * KEPT_EVENTS) session.events.splice(0, KEPT_EVENTS);
  session.socket?.send(frame);
}

export function hears(platform: Platform, session: GatewaySession, event: GatewayEvent): boolean {
  const { world } = platform;
  if (event.intents !== 0 && (session.intents & event.intents) === 0) return false;
  if (shardOf(event.guildId, session.shard[1]) !== session.shard[0]) return false;
  if (event.guildId !== undefined && !world.guilds.get(event.guildId)?.members.has(world.bot.id))
    return false;
  return event.channel === undefined || may(world, event.channel, world.bot.id, 'viewChannel');
}

export const readsContent = (session: GatewaySession): boolean =>
  (session.intents & INTENTS.messageContent) !== 0;
