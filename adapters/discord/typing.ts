/**
 * "… is typing": Discord shows it for ten seconds, so it is said again as long as somebody works on an answer. It begins a
 * moment after the work, and ends with it, with an answer, and in any case after half an hour.
 */
import { Routes } from 'discord.js';
import type { Address } from '../../src/core/address.ts';
import { asError } from '../../src/errors.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import { placeChannelId } from './addresses.ts';
import { anyAnswer, type CallDiscord } from './calls.ts';

/** Whoever answers at once needs no sign, and Discord counts every call. */
const FIRST_MS = 300;
const REPEAT_MS = 8_000;
/** The end of the work may go unheard. */
const LONGEST_MS = 30 * 60_000;

export interface Typing {
  set(address: Address, isWorking: boolean): void;
  stop(): void;
}

export function createTyping({ call, clock, log }: { call: CallDiscord; clock: Clock; log: Log }): Typing {
  /** How to cancel the next time, by channel. */
  const shown = new Map<string, () => void>();
  let isStopped = false;

  function show(channelId: string, until: number): void {
    call({
      what: 'show typing',
      method: 'POST',
      route: Routes.channelTyping(channelId),
      answer: anyAnswer,
      isLossy: true,
    }).catch((thrown: unknown) =>
      log.debug({ channel: channelId, err: asError(thrown) }, 'typing could not be shown'),
    );
    const cancel = clock.after(REPEAT_MS, () => {
      if (clock.now() < until) show(channelId, until);
      else shown.delete(channelId);
    });
    shown.set(channelId, cancel);
  }

  function begin(channelId: string): void {
    const until = clock.now() + LONGEST_MS;
    shown.set(
      channelId,
      clock.after(FIRST_MS, () => show(channelId, until)),
    );
  }

  function end(channelId: string): void {
    shown.get(channelId)?.();
    shown.delete(channelId);
  }

  return {
    set(address, isWorking) {
      const channelId = placeChannelId(address);
      if (!isWorking) end(channelId);
      else if (!isStopped && !shown.has(channelId)) begin(channelId);
    },
    stop() {
      isStopped = true;
      for (const channelId of [...shown.keys()]) end(channelId);
    },
  };
}
