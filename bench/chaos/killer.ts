/**
 * Ends random processes at random moments and starts them again; now and then a worker stands still for longer than its
 * lease, so that it wakes up believing that its runs are still its own.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Victim } from './processes.ts';
import type { Random } from './random.ts';

/** A lease lasts 10 s. */
const FROZEN_MS = 11_500;
const MAX_BETWEEN_MS = 1_500;
const MAX_DOWN_MS = 400;
/** It does not wait for longer than this for people to have their say. */
const PATIENCE_MS = 3_000;

export interface Toll {
  readonly kills: number;
  readonly stops: number;
}

export interface KillerOptions {
  readonly victims: readonly Victim[];
  readonly kills: number;
  readonly stops: number;
  readonly random: Random;
  /** Resolves when enough has been said for this share (0 to 1) of the kills. */
  readonly until: (share: number) => Promise<void>;
  readonly onKill: (killed: number) => void;
}

export async function killAtRandom(options: KillerOptions): Promise<Toll> {
  const { victims, kills, stops, random, until, onKill } = options;
  const thawing = new Set<Promise<void>>();
  const stopsAt = new Set(Array.from({ length: stops }, (_, i) => Math.floor(((i + 0.5) * kills) / stops)));
  let stopped = 0;
  for (let killed = 0; killed < kills; killed++) {
    await Promise.race([until(killed / kills), pause(PATIENCE_MS)]);
    await pause(random.below(MAX_BETWEEN_MS));
    if (stopsAt.has(killed)) {
      const frozen = freezeOne(victims, random);
      if (frozen) {
        stopped++;
        const thawed: Promise<void> = thawLater(frozen).finally(() => thawing.delete(thawed));
        thawing.add(thawed);
      }
    }
    // One that stands still is left to wake up: that is the harder case.
    const victim = random.pick(victims.filter((one) => !one.isFrozen()));
    await victim.kill();
    await pause(random.below(MAX_DOWN_MS));
    victim.start();
    onKill(killed + 1);
  }
  await Promise.all(thawing);
  return { kills, stops: stopped };
}

function freezeOne(victims: readonly Victim[], random: Random): Victim | undefined {
  const workers = victims.filter((victim) => victim.isWorker && !victim.isFrozen());
  // Somebody has to go on working.
  if (workers.length < 2) return undefined;
  const victim = random.pick(workers);
  victim.freeze();
  return victim;
}

async function thawLater(victim: Victim): Promise<void> {
  await pause(FROZEN_MS);
  victim.thaw();
}
