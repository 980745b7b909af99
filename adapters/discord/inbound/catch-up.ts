/**
 * What was said while nobody listened: once a new session of the gateway has begun, each place where the bot is active is
 * looked through from its cursor on. Live messages of the place wait for that, but not for long; a look that fails for now
 * goes on until it succeeds, from where it began, although the place's cursor has moved meanwhile.
 */
import { RESTJSONErrorCodes } from 'discord.js';
import type { Address } from '../../../src/core/address.ts';
import { asError } from '../../../src/errors.ts';
import type { ChannelHandlers, Cursor, InboundMessage } from '../../../src/ports/channel.ts';
import { sleep } from '../../../src/ports/clock.ts';
import type { Self } from '../account.ts';
import { placeChannelId } from '../addresses.ts';
import { discordCode } from '../errors.ts';
import { type Insist, type InTurn, insist } from '../gateway/in-turn.ts';
import { isPassing, retry } from '../retry.ts';
import type { FindMissed } from './missed-messages.ts';
import { createSlots } from './slots.ts';

const PLACES_AT_ONCE = 4;
const PACE = { firstMs: 1_000, longestMs: 5 * 60_000 };
/** What is said in a place now waits so long at most for what was missed there. */
const LIVE_WAIT_MS = 15_000;

export interface CatchUp {
  /** Resolves once live messages may be put in their place's turn: what was missed comes before them. Never rejects. */
  begin(self: Self, isOurs: (address: Address) => boolean): Promise<void>;
  /** The line is there again: looks that failed are taken up at once. */
  again(self: Self): void;
  /** Resolves once nothing is under way any more, which is soon after everything was told to stop. */
  settled(): Promise<void>;
}

export interface CatchUpParts {
  readonly handlers: Pick<ChannelHandlers, 'cursors' | 'missed' | 'threadGone'>;
  readonly find: FindMissed;
  readonly inTurn: InTurn;
  readonly insisting: Insist;
}

/** A look that has not come to its end. */
interface Look {
  /** As it was before live messages moved it. */
  readonly cursor: Cursor;
  /** Epoch milliseconds. */
  readonly liveWaitsUntil: number;
  readonly superseded: AbortController;
}

export function createCatchUp({ handlers, find, inTurn, insisting }: CatchUpParts): CatchUp {
  const { clock, log, signal } = insisting;
  const slots = createSlots(PLACES_AT_ONCE);
  /** By place. */
  const looks = new Map<string, Look>();
  const underWay = new Set<Promise<void>>();

  /** `undefined`: nothing will come of it, or another look has taken over. Never rejects. */
  async function findMissed({ cursor, superseded }: Look, self: Self) {
    const place = placeChannelId(cursor.address);
    const ended = AbortSignal.any([signal, superseded.signal]);
    const look = () => slots.run(async () => (ended.aborted ? undefined : find(cursor, self)));
    const onPause = (err: Error) => log.warn({ place, err }, 'missed messages are looked for again soon');
    try {
      return await retry(look, PACE, { clock, signal: ended, onPause });
    } catch (thrown) {
      // One that would pass comes out only because the look is over.
      if (isPassing(thrown)) return undefined;
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

  async function handOver(look: Look, missed: readonly InboundMessage[] | undefined): Promise<void> {
    if (look.superseded.signal.aborted) return;
    const { address } = look.cursor;
    if (missed && missed.length > 0) {
      await insist(insisting, { ...address }, () => handlers.missed(address, missed));
    }
    const place = placeChannelId(address);
    if (looks.get(place) === look) looks.delete(place);
  }

  async function isThereWithin(work: Promise<unknown>, waitMs: number): Promise<boolean> {
    const patience = new AbortController();
    const timeUp = sleep(clock, waitMs, AbortSignal.any([signal, patience.signal]));
    const isThere = await Promise.race([work.then(() => true), timeUp.then(() => false)]);
    patience.abort();
    return isThere;
  }

  /** It is the place's turn at once; after the wait the place goes on, and what was missed gets a later turn. */
  async function carryOut(look: Look, self: Self): Promise<void> {
    const place = placeChannelId(look.cursor.address);
    const finding = findMissed(look, self);
    let isLate = true;
    await inTurn.at(place, async () => {
      isLate = !(await isThereWithin(finding, Math.max(0, look.liveWaitsUntil - clock.now())));
      if (!isLate) await handOver(look, await finding);
    });
    if (!isLate) return;
    const missed = await finding;
    await inTurn.at(place, () => handOver(look, missed));
  }

  /** Takes the place of an earlier look there. */
  function lookFrom(cursor: Cursor, self: Self, liveWaitsUntil: number): void {
    const place = placeChannelId(cursor.address);
    const earlier = looks.get(place);
    earlier?.superseded.abort();
    const look = {
      cursor: earlier ? olderOf(earlier.cursor, cursor) : cursor,
      liveWaitsUntil,
      superseded: new AbortController(),
    };
    looks.set(place, look);
    const work = carryOut(look, self);
    underWay.add(work);
    void work.then(() => underWay.delete(work));
  }

  return {
    async begin(self, isOurs) {
      const stored = (await insist(insisting, {}, () => handlers.cursors())) ?? [];
      const known = new Set(stored.map(({ address }) => placeChannelId(address)));
      const left = [...looks.values()].map(({ cursor }) => cursor);
      const others = left.filter(({ address }) => !known.has(placeChannelId(address)));
      const liveWaitsUntil = clock.now() + LIVE_WAIT_MS;
      for (const cursor of [...stored, ...others]) {
        if (isOurs(cursor.address)) lookFrom(cursor, self, liveWaitsUntil);
      }
    },
    again(self) {
      for (const { cursor, liveWaitsUntil } of [...looks.values()]) lookFrom(cursor, self, liveWaitsUntil);
    },
    async settled() {
      await Promise.all(underWay);
    },
  };
}

function olderOf(a: Cursor, b: Cursor): Cursor {
  return BigInt(a.eventId) < BigInt(b.eventId) ? a : b;
}
