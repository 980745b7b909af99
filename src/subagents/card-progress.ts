/**
 * Keeps run cards alive while their runs are at work: state, tool, tokens, children. These edits are lossy and limited; the
 * first and the last look of a card are operations.
 */
import type { RunId, SessionKey } from '../core/ids.ts';
import { type Mask, maskedCard } from '../core/mask.ts';
import type { Channels } from '../delivery/channels.ts';
import { asError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Live } from '../ports/live.ts';
import type { Log } from '../ports/log.ts';
import type { StoreReads } from '../ports/store/index.ts';
import { cardOperation, cardText, currentCard } from './card.ts';

const INTERVAL_MS = 1_000;
/** How many runs are looked at: for the task of a session, and for what is at work. */
const MAX_RUNS = 100;

export interface CardProgress {
  start(): void;
  /** Draws the cards of what is at work in other processes, which may have no way to say so. */
  refresh(): Promise<void>;
  stop(): void;
}

export function createCardProgress(deps: {
  read: StoreReads;
  channels: Channels;
  mask: Mask;
  live: Live;
  clock: Clock;
  log: Log;
}): CardProgress {
  const { read, channels, mask, live, clock, log } = deps;
  /** Runs whose card was drawn within the last interval, with what has been asked for since. */
  const resting = new Map<RunId, { tool: string | undefined; isWanted: boolean }>();
  const timers = new Map<RunId, () => void>();
  let stopListening: (() => void) | undefined;

  async function draw(id: RunId, tool: string | undefined): Promise<void> {
    const sent = await read.operations.get(cardOperation(id));
    const messageId = sent?.receipt?.messageId;
    const card = messageId === undefined ? undefined : await currentCard(read, id, tool);
    if (!sent || messageId === undefined || !card) return;
    const { address } = sent;
    const part = { address, text: mask.text(cardText(card)), card: maskedCard(card, mask) };
    await channels.at(address)?.edit({ address, messageId }, part);
    // The last look may have been drawn meanwhile, and this one over it.
    const now = await currentCard(read, id);
    if (now && now.state !== card.state) await draw(id, undefined);
  }

  /** A card shows whether its thread is still bound. */
  async function drawOf(sessionKey: SessionKey): Promise<void> {
    const runs = await read.runs.ofSession(sessionKey, MAX_RUNS);
    const task = runs.find((run) => run.trigger === 'task');
    if (task) ask(task.id, undefined);
  }

  const undrawn = (thrown: unknown) =>
    log.debug({ error: asError(thrown).message }, 'a run card could not be drawn');

  function ask(id: RunId, tool: string | undefined): void {
    const rest = resting.get(id);
    if (rest) {
      resting.set(id, { tool, isWanted: true });
      return;
    }
    resting.set(id, { tool, isWanted: false });
    draw(id, tool).catch(undrawn);
    const cancel = clock.after(INTERVAL_MS, () => {
      const asked = resting.get(id);
      resting.delete(id);
      timers.delete(id);
      if (asked?.isWanted) ask(id, asked.tool);
    });
    timers.set(id, cancel);
  }

  return {
    async refresh() {
      for (const run of await read.runs.allActive(MAX_RUNS)) {
        if (run.status === 'running' && run.trigger === 'task') ask(run.id, undefined);
      }
    },
    start() {
      stopListening = live.subscribe((event) => {
        if (event.type === 'progress') ask(event.runId, event.tool);
        if (event.type === 'binding') drawOf(event.sessionKey).catch(undrawn);
      });
    },
    stop() {
      stopListening?.();
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}
