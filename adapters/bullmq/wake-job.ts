/**
 * What a wake looks like in Redis: a job without a life of its own. It carries the session key and nothing else, at most
 * one of them a session waits in a lane, and it leaves nothing behind when it is done.
 */
import { type JobsOptions, Queue } from 'bullmq';
import { z } from 'zod';
import type { SessionKey } from '../../src/core/ids.ts';
import type { Lane } from '../../src/core/run.ts';
import type { RedisClient } from './redis-client.ts';

const NAME = 'wake';
/** BullMQ keeps a stream of events that nobody here reads. */
const KEPT_EVENTS = 10;

const WakeData = z.object({ sessionKey: z.string().min(1) });
export type WakeData = z.infer<typeof WakeData>;
export type WakeJobs = Queue<WakeData>;

/** `connection` is shared and stays open when the queue is closed. */
export function openWakeJobs(lane: Lane, connection: RedisClient, prefix: string): WakeJobs {
  return new Queue(lane, {
    connection,
    prefix,
    skipVersionCheck: true,
    streams: { events: { maxLen: KEPT_EVENTS } },
  });
}

export async function addWakeJob(jobs: WakeJobs, sessionKey: SessionKey): Promise<void> {
  await jobs.add(NAME, { sessionKey }, wakeOptions(sessionKey));
}

/** Undefined for what another program has put into the queue. */
export function sessionKeyOf(data: unknown): SessionKey | undefined {
  const parsed = WakeData.safeParse(data);
  return parsed.success ? (parsed.data.sessionKey as SessionKey) : undefined;
}

/**
 * Never delayed: a delayed job would swallow an immediate one with the same deduplication id. No job id of our own: an id
 * that was used before makes adding do nothing.
 */
function wakeOptions(sessionKey: SessionKey): JobsOptions {
  return {
    // Waiting: this wake is already there. Active: it is kept, and waits again as soon as the active one is done.
    deduplication: { id: sessionKey, keepLastIfActive: true },
    removeOnComplete: true,
    removeOnFail: true,
  };
}
