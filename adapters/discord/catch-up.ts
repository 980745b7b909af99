/**
 * What was said while nobody listened: once a new session of the gateway has begun, each place where the bot is active is
 * looked through from its cursor on. Until that is done, what is said there now waits.
 */
import { RESTJSONErrorCodes, Routes } from 'discord.js';
import type { Address } from '../../src/core/address.ts';
import { asError } from '../../src/errors.ts';
import type { ChannelHandlers, Cursor, InboundMessage } from '../../src/ports/channel.ts';
import { sleep } from '../../src/ports/clock.ts';
import type { Self } from './account.ts';
import { placeChannelId } from './addresses.ts';
import type { CallDiscord } from './calls.ts';
import { discordCode } from './errors.ts';
import { type HeardMessage, heardListSchema, memberAnswerSchema } from './events.ts';
import { type Insist, type InTurn, insist } from './in-turn.ts';
import { type MessagesIn, placeAt } from './messages-in.ts';
import type { KnownPlace, Places } from './places.ts';
import { isPassing, retry } from './retry.ts';
import { snowflakeAt } from './snowflake.ts';

const LOOK_BACK_MS = 24 * 3_600_000;
const MAX_MESSAGES = 100;
/** Most of what is said in a busy channel is not meant for the bot. */
const MAX_PAGES = 5;
/** https://docs.discord.com/developers/resources/message#get-channel-messages */
const PAGE = 100;
const PLACES_AT_ONCE = 4;
/** How long the gateway may take to tell of the servers. */
const ARRIVAL_MS = 2_000;
const PACE = { firstMs: 1_000, longestMs: 10_000 };
/** For one place: what is said there now waits so long at most, and for its turn among the places. */
const GIVE_UP_MS = 30_000;

export interface CatchUp {
  /** Resolves once live messages may be put in their place's turn: what was missed comes before them. Never rejects. */
  begin(self: Self, isOurs: (address: Address) => boolean): Promise<void>;
}

export interface CatchUpParts {
  readonly call: CallDiscord;
  readonly handlers: ChannelHandlers;
  readonly places: Places;
  readonly messages: MessagesIn;
  readonly inTurn: InTurn;
  readonly insisting: Insist;
}

export function createCatchUp(parts: CatchUpParts): CatchUp {
  const { call, handlers, places, messages, inTurn, insisting } = parts;
  const { clock, log, signal } = insisting;

  /** The newest ones after `after`, oldest first. */
  async function fetchAfter(channelId: string, after: string): Promise<readonly HeardMessage[]> {
    const found: HeardMessage[] = [];
    for (let page = 0; page < MAX_PAGES; page++) {
      const before = found.at(-1)?.id;
      const fetched = await call({
        what: 'look for missed messages',
        method: 'GET',
        route: Routes.channelMessages(channelId),
        query: { limit: String(PAGE), ...(before !== undefined && { before }) },
        answer: heardListSchema,
      });
      const newer = fetched.filter(({ id }) => BigInt(id) > BigInt(after));
      found.push(...newer);
      if (newer.length < PAGE) break;
    }
    return found.reverse();
  }

  /** Roles count where the configuration names some; whoever has left has none. */
  async function rolesOf(guildId: string | undefined, userId: string): Promise<readonly string[]> {
    if (guildId === undefined) return [];
    try {
      const { roles } = await call({
        what: 'look at a member',
        method: 'GET',
        route: Routes.guildMember(guildId, userId),
        answer: memberAnswerSchema,
      });
      return roles;
    } catch (thrown) {
      if (isPassing(thrown)) throw thrown;
      return [];
    }
  }

  /** The gateway tells of all places soon; asking for each of them would take longer. */
  async function placeOf({ address }: Cursor): Promise<KnownPlace> {
    if (address.chatType === 'direct') return placeAt(address);
    const channelId = placeChannelId(address);
    if (!places.known(channelId)) {
      const patience = new AbortController();
      const timeUp = sleep(clock, ARRIVAL_MS, AbortSignal.any([signal, patience.signal]));
      await Promise.race([places.arrived(), timeUp]);
      patience.abort();
    }
    return places.find(channelId);
  }

  async function missedAt(cursor: Cursor, self: Self): Promise<readonly InboundMessage[]> {
    const oldest = BigInt(snowflakeAt(clock.now() - LOOK_BACK_MS));
    const known = BigInt(cursor.eventId);
    const after = String(known > oldest ? known : oldest);
    const place = await placeOf(cursor);
    const all = await fetchAfter(place.id, after);
    const wanted = all.filter((message) => messages.mayMatter(message, place, self)).slice(-MAX_MESSAGES);
    const roles = new Map<string, readonly string[]>();
    const translated: InboundMessage[] = [];
    for (const message of wanted) {
      const { id } = message.author;
      if (!roles.has(id)) roles.set(id, await rolesOf(place.guildId, id));
      translated.push(await messages.translate(message, place, self, roles.get(id)!));
    }
    return translated;
  }

  /** `undefined`: they cannot be had. */
  async function fetchMissed(cursor: Cursor, self: Self): Promise<readonly InboundMessage[] | undefined> {
    const place = placeChannelId(cursor.address);
    const pace = { ...PACE, until: clock.now() + GIVE_UP_MS };
    const onPause = (err: Error) => log.warn({ place, err }, 'missed messages are looked for again soon');
    try {
      return await retry(() => missedAt(cursor, self), pace, { clock, signal, onPause });
    } catch (thrown) {
      if (discordCode(thrown) === RESTJSONErrorCodes.UnknownChannel) return await gone(cursor);
      log.warn({ place, err: asError(thrown) }, 'missed messages could not be looked for');
      return undefined;
    }
  }

  async function gone({ address }: Cursor): Promise<undefined> {
    if (address.thread === undefined) return undefined;
    await insist(insisting, { ...address }, () => handlers.threadGone(address, 'deleted'));
    return undefined;
  }

  async function lookAt(cursor: Cursor, self: Self): Promise<void> {
    const missed = await fetchMissed(cursor, self);
    if (!missed || missed.length === 0) return;
    await insist(insisting, { ...cursor.address }, () => handlers.missed(cursor.address, missed));
  }

  return {
    async begin(self, isOurs) {
      const cursors = (await insist(insisting, {}, () => handlers.cursors())) ?? [];
      const slots = createSlots(PLACES_AT_ONCE);
      for (const cursor of cursors) {
        if (!isOurs(cursor.address)) continue;
        void inTurn.at(placeChannelId(cursor.address), () => slots.run(() => lookAt(cursor, self)));
      }
    },
  };
}

/** So many at once; the others wait, first come, first served. */
function createSlots(count: number) {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async run(work: () => Promise<void>): Promise<void> {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      else free -= 1;
      try {
        await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free += 1;
      }
    },
  };
}
