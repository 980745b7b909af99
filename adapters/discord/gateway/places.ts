/**
 * The channels and threads that the bot can see, as the gateway tells of them: what they are, and what they lie in. Sleeping
 * threads are left out; whatever is not known is asked for.
 */
import { ChannelType, type GatewayDispatchPayload } from 'discord.js';
import { type Address, parentAddress } from '../../../src/core/address.ts';
import { addressOf } from '../addresses.ts';
import { type PlaceAnswer, placeSchema } from '../schema.ts';
import { guildEventSchema, readySchema, threadListSchema } from './events.ts';

export interface KnownPlace {
  readonly id: string;
  readonly guildId?: string;
  /** Of a thread: the channel that it lies in. */
  readonly parentId?: string;
  readonly name: string;
  /** Of a thread: who opened it. */
  readonly ownerId?: string;
  readonly isDirect: boolean;
}

export interface Places {
  /** Keeps up with what the event says. */
  note(event: GatewayDispatchPayload): void;
  /** Rejects with a channel error where it is unknown and cannot be asked for. */
  find(channelId: string): Promise<KnownPlace>;
  /** Resolves once the gateway has told of every server that a new session begins with. */
  arrived(): Promise<void>;
  /** Without asking. */
  known(channelId: string): KnownPlace | undefined;
  /** `guild #channel`, or as much of it as is known. */
  nameOf(place: KnownPlace): string | undefined;
  /** The channels of that server, without threads. */
  channelsOf(guildId: string): readonly KnownPlace[];
}

const THREADS: readonly number[] = [
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
];
const DIRECT: readonly number[] = [ChannelType.DM, ChannelType.GroupDM];

export function placeOf(event: PlaceAnswer, guildId = event.guild_id): KnownPlace {
  const isThread = THREADS.includes(event.type);
  return {
    id: event.id,
    ...(guildId !== undefined && { guildId }),
    ...(isThread && event.parent_id != null && { parentId: event.parent_id }),
    name: event.name ?? '',
    ...(isThread && event.owner_id !== undefined && { ownerId: event.owner_id }),
    isDirect: DIRECT.includes(event.type),
  };
}

export function addressIn(account: string, { id, parentId, isDirect }: KnownPlace): Address {
  return addressOf(account, { channelId: id, ...(parentId !== undefined && { parentId }), isDirect });
}

/** The channel of a thread, or the place itself. */
export function conversationIn(account: string, place: KnownPlace): Address {
  return parentAddress(addressIn(account, place));
}

/** `ask`: for a channel that is not known. */
export function createPlaces(ask: (channelId: string) => Promise<PlaceAnswer>): Places {
  const places = new Map<string, KnownPlace>();
  const guilds = new Map<string, string>();
  const awaited = new Set<string>();
  let waiting: (() => void)[] = [];

  function arrive(guildId: string): void {
    awaited.delete(guildId);
    if (awaited.size > 0) return;
    for (const go of waiting) go();
    waiting = [];
  }

  function put(event: PlaceAnswer, guildId?: string): void {
    if (event.thread_metadata?.archived) places.delete(event.id);
    else places.set(event.id, placeOf(event, guildId));
  }

  function forgetGuild(guildId: string): void {
    guilds.delete(guildId);
    for (const { id, guildId: of } of places.values()) if (of === guildId) places.delete(id);
  }

  function forgetChannel(channelId: string): void {
    places.delete(channelId);
    for (const { id, parentId } of places.values()) if (parentId === channelId) places.delete(id);
  }

  return {
    note({ t, d }) {
      switch (t) {
        case 'READY':
          for (const { id } of readySchema.parse(d).guilds) awaited.add(id);
          break;
        case 'GUILD_CREATE': {
          const { id, name, channels, threads } = guildEventSchema.parse(d);
          forgetGuild(id);
          guilds.set(id, name ?? '');
          for (const place of [...channels, ...threads]) put(place, id);
          arrive(id);
          break;
        }
        case 'GUILD_UPDATE':
          guilds.set(d.id, d.name);
          break;
        case 'GUILD_DELETE':
          if (!d.unavailable) forgetGuild(d.id);
          arrive(d.id);
          break;
        case 'CHANNEL_CREATE':
        case 'CHANNEL_UPDATE':
        case 'THREAD_CREATE':
        case 'THREAD_UPDATE':
          put(placeSchema.parse(d));
          break;
        case 'CHANNEL_DELETE':
        case 'THREAD_DELETE':
          forgetChannel(d.id);
          break;
        case 'THREAD_LIST_SYNC': {
          const { guild_id, threads } = threadListSchema.parse(d);
          for (const place of threads) put(place, guild_id);
          break;
        }
      }
    },
    async find(channelId) {
      const known = places.get(channelId);
      if (known) return known;
      const asked = await ask(channelId);
      put(asked);
      return placeOf(asked);
    },
    async arrived() {
      if (awaited.size > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    known: (channelId) => places.get(channelId),
    nameOf({ guildId, parentId, name }) {
      const guild = guilds.get(guildId ?? '');
      const channel = parentId === undefined ? name : places.get(parentId)?.name;
      const words = [guild, channel && `#${channel}`].filter(Boolean);
      return words.length === 0 ? undefined : words.join(' ');
    },
    channelsOf: (guildId) =>
      [...places.values()].filter((place) => place.guildId === guildId && place.parentId === undefined),
  };
}
