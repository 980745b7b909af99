/**
 * Keeps run cards alive while their runs are at work: state, tool, tokens, children. These edits are lossy and limited; the
 * first and the last look of a card are operations.
 */
import type { RunId } from '../core/ids.ts';
import type { Channels } from '../delivery/channels.ts';
import { asError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Live } from '../ports/live.ts';
import type { Log } from '../ports/log.ts';
import type { StoreReads } from '../ports/store/index.ts';
import { cardOperation, cardText, countActiveChildren, runCard } from './card.ts';

const INTERVAL_MS = 1_000;

export interface CardProgress {
  start(): void;
  stop(): void;
}

export function createCardProgress(deps: {
  read: StoreReads;
  channels: Channels;
  live: Live;
  clock: Clock;
  log: Log;
}): CardProgress {
  const { read, channels, live, clock, log } = deps;
  /** Runs whose card was drawn within the last interval, with what has been asked for since. */
  const resting = new Map<RunId, { tool: string | undefined; isWanted: boolean }>();
  const timers = new Map<RunId, () => void>();
  let stopListening: (() => void) | undefined;

  async function draw(id: RunId, tool: string | undefined): Promise<void> {
    const sent = await read.operations.get(cardOperation(id));
    const run = await read.runs.get(id);
    const session = run && (await read.sessions.get(run.sessionKey));
    const messageId = sent?.receipt?.messageId;
    if (!session || messageId === undefined || !['running', 'waiting'].includes(run.status)) return;
    const { delivery } = run.origin;
    const thread = delivery.kind === 'external' ? delivery.address.thread : undefined;
    const card = runCard({
      run,
      session,
      state: run.status,
      isBound: (await read.bindings.ofSession(session.key)).length > 0,
      activeChildren: await countActiveChildren(read, session),
      ...(thread !== undefined && { thread }),
      ...(tool !== undefined && { tool }),
    });
    const { address } = sent!;
    await channels.at(address)?.edit({ address, messageId }, { address, text: cardText(card), card });
  }

  function ask(id: RunId, tool: string | undefined): void {
    const rest = resting.get(id);
    if (rest) {
      resting.set(id, { tool, isWanted: true });
      return;
    }
    resting.set(id, { tool, isWanted: false });
    draw(id, tool).catch((thrown: unknown) => {
      log.debug({ runId: id, error: asError(thrown).message }, 'a run card could not be drawn');
    });
    const cancel = clock.after(INTERVAL_MS, () => {
      const asked = resting.get(id);
      resting.delete(id);
      timers.delete(id);
      if (asked?.isWanted) ask(id, asked.tool);
    });
    timers.set(id, cancel);
  }

  return {
    start() {
      stopListening = live.subscribe((event) => {
        if (event.type === 'progress') ask(event.runId, event.tool);
      });
    },
    stop() {
      stopListening?.();
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}
