/** Asks Discord once what was said in a place behind its cursor, and keeps what might be meant for the bot. */
import { Routes } from 'discord.js';
import type { Cursor, InboundMessage } from '../../../src/ports/channel.ts';
import { sleep } from '../../../src/ports/clock.ts';
import type { Self } from '../account.ts';
import { placeChannelId } from '../addresses.ts';
import type { CallDiscord } from '../calls.ts';
import { type HeardMessage, heardListSchema, memberAnswerSchema } from '../gateway/events.ts';
import type { Insist } from '../gateway/in-turn.ts';
import type { KnownPlace, Places } from '../gateway/places.ts';
import { isPassing } from '../retry.ts';
import { snowflakeAt } from '../snowflake.ts';
import { type MessagesIn, placeAt } from './messages-in.ts';

const LOOK_BACK_MS = 24 * 3_600_000;
const MAX_MESSAGES = 100;
/** Most of what is said in a busy channel is not meant for the bot. */
const MAX_PAGES = 5;
/** https://docs.discord.com/developers/resources/message#get-channel-messages */
const PAGE = 100;
/** How long the gateway may take to tell of the servers. */
const ARRIVAL_MS = 2_000;

export interface MissedMessagesParts {
  readonly call: CallDiscord;
  readonly places: Places;
  readonly messages: MessagesIn;
  readonly insisting: Insist;
}

/** Oldest first, with their files. Rejects with a channel error. */
export type FindMissed = (cursor: Cursor, self: Self) => Promise<readonly InboundMessage[]>;

export function createFindMissed(parts: MissedMessagesParts): FindMissed {
  const { call, places, messages, insisting } = parts;
  const { clock, signal } = insisting;

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

  return async (cursor, self) => {
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
  };
}
