/**
 * An hourglass on a message that waits for its turn. Only the newest wish for a message counts, and it is carried out once
 * the call before it is over, so that no sign stays behind; those that are put are written down, so that none outlives its
 * process either. Where reactions are not allowed they are not tried again.
 */
import { Routes } from 'discord.js';
import type { Address } from '../../../src/core/address.ts';
import { asError } from '../../../src/errors.ts';
import type { AdapterMemory } from '../../../src/ports/adapter-memory.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import { placeChannelId } from '../addresses.ts';
import { anyAnswer, type CallDiscord } from '../calls.ts';
import { asChannelError } from '../errors.ts';
import { retry } from '../retry.ts';

const SIGN = encodeURIComponent('⏳');
const MEMORY_PREFIX = 'queued:';
const REMOVAL_PACE = { firstMs: 2_000, longestMs: 60_000 };
const REMOVED_WITHIN_MS = 30 * 60_000;

export interface QueuedSign {
  /** A message that carries no sign of ours needs no call to take it away. */
  set(address: Address, eventId: string, isQueued: boolean): void;
  /** Takes away what processes that are gone have left. */
  cleanUp(): Promise<void>;
  /** Resolves when no call is under way any more. */
  stop(): Promise<void>;
}

interface Mark {
  /** Where the message is; what answers it may be elsewhere. */
  readonly channelId: string;
  isWanted: boolean;
  isShown: boolean;
  isBeingChanged: boolean;
}

export function createQueuedSign(parts: {
  call: CallDiscord;
  memory: AdapterMemory;
  clock: Clock;
  log: Log;
}): QueuedSign {
  const { call, memory, clock, log } = parts;
  const stopping = new AbortController();
  /** By message. */
  const marks = new Map<string, Mark>();
  const forbidden = new Set<string>();
  const underWay = new Set<Promise<void>>();

  async function change(channelId: string, messageId: string, isShown: boolean): Promise<void> {
    const key = `${MEMORY_PREFIX}${channelId}:${messageId}`;
    if (isShown) await memory.set(key, '');
    await call({
      what: isShown ? 'mark a waiting message' : 'unmark a message',
      method: isShown ? 'PUT' : 'DELETE',
      route: Routes.channelMessageOwnReaction(channelId, messageId, SIGN),
      answer: anyAnswer,
      isLossy: isShown,
    }).catch(async (thrown: unknown) => {
      const error = asChannelError(thrown, 'mark a message');
      if (error.code === 'channel-permission-denied') forbidden.add(channelId);
      log.debug({ channel: channelId, message: messageId, err: error }, 'a message could not be marked');
      // It may stand there all the same: taking it away is tried again, now or at the next start.
      if (error.isRetryable && !isShown) throw error;
      if (!error.isRetryable) await memory.remove(key);
    });
    if (!isShown) await memory.remove(key);
  }

  async function fulfil(messageId: string, mark: Mark): Promise<void> {
    while (mark.isWanted !== mark.isShown && !forbidden.has(mark.channelId)) {
      const { isWanted } = mark;
      const work = () => change(mark.channelId, messageId, isWanted);
      const pace = { ...REMOVAL_PACE, until: clock.now() + REMOVED_WITHIN_MS };
      await retry(work, pace, { clock, signal: stopping.signal });
      mark.isShown = isWanted;
    }
  }

  return {
    set(address, eventId, isQueued) {
      const channelId = placeChannelId(address);
      const known = marks.get(eventId);
      if (!known && (!isQueued || forbidden.has(channelId))) return;
      const mark = known ?? { channelId, isWanted: true, isShown: false, isBeingChanged: false };
      mark.isWanted = isQueued;
      if (mark.isBeingChanged) return;
      mark.isBeingChanged = true;
      marks.set(eventId, mark);
      const work = fulfil(eventId, mark)
        .catch((thrown: unknown) => {
          mark.isWanted = false;
          mark.isShown = false;
          log.debug(
            { message: eventId, err: asError(thrown) },
            'the sign on a message was left to the next start',
          );
        })
        .finally(() => {
          mark.isBeingChanged = false;
          if (!mark.isShown || forbidden.has(channelId)) marks.delete(eventId);
          underWay.delete(work);
        });
      underWay.add(work);
    },
    async cleanUp() {
      for (const { key } of await memory.list(MEMORY_PREFIX)) {
        const [channelId = '', messageId = ''] = key.slice(MEMORY_PREFIX.length).split(':');
        if (marks.has(messageId)) continue;
        await change(channelId, messageId, false).catch((thrown: unknown) => {
          log.debug(
            { message: messageId, err: asError(thrown) },
            'the sign on a message was left to the next start',
          );
        });
      }
    },
    async stop() {
      stopping.abort();
      await Promise.all(underWay);
    },
  };
}
