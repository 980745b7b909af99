/**
 * An hourglass on a message that waits for its turn. For each message only the newest wish counts, and it is carried out
 * once the call before it is over, so that no sign stays behind. Where reactions are not allowed they are not tried again.
 */
import { Routes } from 'discord.js';
import type { Address } from '../../src/core/address.ts';
import type { Log } from '../../src/ports/log.ts';
import { placeChannelId } from './addresses.ts';
import { anyAnswer, type CallDiscord } from './calls.ts';
import { asChannelError } from './errors.ts';

const SIGN = encodeURIComponent('⏳');

export interface QueuedSign {
  set(address: Address, eventId: string, isQueued: boolean): void;
  /** Resolves when no call is under way any more. */
  stop(): Promise<void>;
}

interface Wish {
  isWanted: boolean;
  isShown: boolean;
}

export function createQueuedSign({ call, log }: { call: CallDiscord; log: Log }): QueuedSign {
  const wishes = new Map<string, Wish>();
  const forbidden = new Set<string>();
  const underWay = new Set<Promise<void>>();

  async function fulfil(channelId: string, messageId: string, wish: Wish): Promise<void> {
    while (wish.isWanted !== wish.isShown && !forbidden.has(channelId)) {
      const { isWanted } = wish;
      try {
        await call({
          what: isWanted ? 'mark a waiting message' : 'unmark a message',
          method: isWanted ? 'PUT' : 'DELETE',
          route: Routes.channelMessageOwnReaction(channelId, messageId, SIGN),
          answer: anyAnswer,
          isLossy: isWanted,
        });
      } catch (thrown) {
        const error = asChannelError(thrown, 'mark a waiting message');
        if (error.code === 'channel-permission-denied') forbidden.add(channelId);
        log.debug({ channel: channelId, message: messageId, err: error }, 'a message could not be marked');
        break;
      }
      wish.isShown = isWanted;
    }
  }

  return {
    set(address, eventId, isQueued) {
      const known = wishes.get(eventId);
      if (known) {
        known.isWanted = isQueued;
        return;
      }
      const channelId = placeChannelId(address);
      // One that this process has not put may stand there from before.
      const wish: Wish = { isWanted: isQueued, isShown: !isQueued };
      if (forbidden.has(channelId)) return;
      wishes.set(eventId, wish);
      const work = fulfil(channelId, eventId, wish).finally(() => {
        wishes.delete(eventId);
        underWay.delete(work);
      });
      underWay.add(work);
    },
    async stop() {
      await Promise.all(underWay);
    },
  };
}
