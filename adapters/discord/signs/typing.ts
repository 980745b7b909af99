/**
 * "… is typing": Discord shows it for ten seconds, so it is said again as long as a run works on an answer. It begins a
 * moment after the work, and ends with it, with its answer, and in any case after half an hour. What else is said there, or
 * the late end of the run before, ends nothing.
 */
import { Routes } from 'discord.js';
import type { Address } from '../../../src/core/address.ts';
import { asError } from '../../../src/errors.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import { placeChannelId } from '../addresses.ts';
import { anyAnswer, type CallDiscord } from '../calls.ts';

/** Whoever answers at once needs no sign, and Discord counts every call. */
const FIRST_MS = 300;
const REPEAT_MS = 8_000;
/** The end of the work may go unheard. */
const LONGEST_MS = 30 * 60_000;

export interface Typing {
  set(address: Address, isWorking: boolean, runId: string): void;
  stop(): void;
}

interface Shown {
  /** Who works there now. */
  readonly runId: string;
  /** Ends it before the next time. */
  readonly cancel: () => void;
}

export function createTyping({ call, clock, log }: { call: CallDiscord; clock: Clock; log: Log }): Typing {
  /** By channel. */
  const shown = new Map<string, Shown>();
  let isStopped = false;

  function show(channelId: string, runId: string, until: number): void {
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
      if (clock.now() < until) show(channelId, runId, until);
      else shown.delete(channelId);
    });
    shown.set(channelId, { runId, cancel });
  }

  function begin(channelId: string, runId: string): void {
    end(channelId);
    const until = clock.now() + LONGEST_MS;
    const cancel = clock.after(FIRST_MS, () => show(channelId, runId, until));
    shown.set(channelId, { runId, cancel });
  }

  function end(channelId: string): void {
    shown.get(channelId)?.cancel();
    shown.delete(channelId);
  }

  return {
    set(address, isWorking, runId) {
      const channelId = placeChannelId(address);
      const isShown = shown.get(channelId)?.runId === runId;
      if (!isWorking && isShown) end(channelId);
      else if (isWorking && !isShown && !isStopped) begin(channelId, runId);
    },
    stop() {
      isStopped = true;
      for (const channelId of [...shown.keys()]) end(channelId);
    },
  };
}
