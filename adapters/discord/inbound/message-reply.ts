/**
 * Answers that are messages: to commands that were typed, and wherever an interaction can no longer be answered. One that
 * cannot go out now is tried again in the background, since whatever comes next must not wait for it.
 */
import type { Address } from '../../../src/core/address.ts';
import { splitText } from '../../../src/core/split.ts';
import { asError } from '../../../src/errors.ts';
import { type Clock, sleep } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import { MAX_TEXT_LENGTH } from '../outbound/message-body.ts';
import type { DiscordOutbound } from '../outbound/outbound.ts';
import { isPassing, retry } from '../retry.ts';

const PACE = { firstMs: 1_000, longestMs: 30_000 };
/** Later nobody waits for it any more. */
const GIVE_UP_MS = 10 * 60_000;

export interface MessageReplies {
  /**
   * Posts it there, as an answer to the message `replyTo` if there is one. Repeated for the same event it is shown once.
   * Rejects with a channel error where Discord does not let it.
   */
  say(to: { address: Address; eventId: string; replyTo?: string }, text: string): Promise<void>;
  /** Waits for what is under way; what would be tried again is given up. */
  stop(): Promise<void>;
}

export function createMessageReplies({
  send: sendPart,
  clock,
  log,
}: {
  send: DiscordOutbound['send'];
  clock: Clock;
  log: Log;
}): MessageReplies {
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();

  /** Never rejects. */
  async function later(send: () => Promise<void>, eventId: string, waitMs: number): Promise<void> {
    const { signal } = stopping;
    const pace = { ...PACE, until: clock.now() + GIVE_UP_MS };
    await sleep(clock, waitMs, signal);
    if (signal.aborted) return;
    try {
      await retry(send, pace, { clock, signal });
    } catch (thrown) {
      log.warn({ eventId, err: asError(thrown) }, 'an answer was given up');
    }
  }

  return {
    async say({ address, eventId, replyTo }, text) {
      const parts = splitText(text, MAX_TEXT_LENGTH).map((chunk, index) => ({
        id: `reply:${eventId}:${index}`,
        address,
        text: chunk,
        ...(index === 0 && replyTo !== undefined && { replyTo }),
      }));
      let sent = 0;
      const send = async () => {
        for (const part of parts.slice(sent)) {
          await sendPart(part);
          sent += 1;
        }
      };
      try {
        await send();
      } catch (thrown) {
        if (!isPassing(thrown)) throw thrown;
        log.warn({ eventId, err: thrown }, 'an answer could not go out; it is tried again');
        const work = later(send, eventId, thrown.retryAfterMs ?? PACE.firstMs);
        underWay.add(work);
        void work.then(() => underWay.delete(work));
      }
    },
    async stop() {
      stopping.abort();
      await Promise.all(underWay);
    },
  };
}
