/**
 * Keeps run cards alive while their runs are at work: state, tool, tokens, children. These edits are lossy and limited; the
 * first and the last look of a card are operations.
 *
 * The cards of one place share its pace: one edit an interval, in turn, and none while something that must be said is due.
 */
import { type Address, placeKey } from '../core/address.ts';
import type { RunId, SessionKey } from '../core/ids.ts';
import { type Mask, maskedCard } from '../core/mask.ts';
import type { Channels } from '../delivery/channels.ts';
import { asError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Live } from '../ports/live.ts';
import type { Log } from '../ports/log.ts';
import type { StoreReads } from '../ports/store/index.ts';
import { cardOperation, cardText, currentCard } from './card.ts';

/** For an account that is not served here any more. */
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
  /** Places where a card was drawn within the last interval, with what has been asked for since, in order. */
  const resting = new Map<string, Map<RunId, string | undefined>>();
  const timers = new Map<string, () => void>();
  let isStopped = false;
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
    if (task) await ask(task.id, undefined);
  }

  const undrawn = (thrown: unknown) =>
    log.debug({ error: asError(thrown).message }, 'a run card could not be drawn');

  /** `tool`: the one now being carried out. */
  async function ask(id: RunId, tool: string | undefined): Promise<void> {
    const sent = await read.operations.get(cardOperation(id));
    if (sent?.receipt?.messageId === undefined || isStopped) return;
    const { address } = sent;
    const key = placeKey(address);
    const wanted = resting.get(key);
    if (wanted) {
      wanted.set(id, tool);
      return;
    }
    resting.set(key, new Map([[id, tool]]));
    await drawNext(address);
  }

  /** Draws what was asked for longest ago, rests for an interval, and goes on until nothing is left. */
  async function drawNext(address: Address): Promise<void> {
    const key = placeKey(address);
    const wanted = resting.get(key);
    const [next] = wanted ?? [];
    if (!wanted || !next) {
      resting.delete(key);
      return;
    }
    try {
      const mustWait = await read.operations.hasDue(address.channel, address.account, clock.now());
      if (!mustWait) {
        const [id, tool] = next;
        wanted.delete(id);
        await draw(id, tool);
      }
    } catch (thrown) {
      undrawn(thrown);
    }
    if (isStopped) return;
    const intervalMs = channels.at(address)?.capabilities.editIntervalMs ?? INTERVAL_MS;
    timers.set(
      key,
      clock.after(intervalMs, () => {
        timers.delete(key);
        void drawNext(address);
      }),
    );
  }

  return {
    async refresh() {
      for (const run of await read.runs.allActive(MAX_RUNS)) {
        if (run.status === 'running' && run.trigger === 'task') await ask(run.id, undefined).catch(undrawn);
      }
    },
    start() {
      stopListening = live.subscribe((event) => {
        if (event.type === 'progress') ask(event.runId, event.tool).catch(undrawn);
        if (event.type === 'binding') drawOf(event.sessionKey).catch(undrawn);
      });
    },
    stop() {
      isStopped = true;
      stopListening?.();
      for (const cancel of timers.values()) cancel();
      timers.clear();
    },
  };
}
