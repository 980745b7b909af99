/** Live events as they travel through Redis. What does not fit was sent by another version of Skein, or by someone else. */
import { z } from 'zod';
import { runId, type SessionKey } from '../../src/core/ids.ts';
import type { LiveEvent } from '../../src/ports/live.ts';

const Text = z.string();
const RunIdText = Text.transform(runId);
const SessionKeyText = Text.transform((text) => text as SessionKey);
const AddressShape = z.object({
  channel: Text,
  account: Text,
  chatType: z.enum(['direct', 'group', 'channel']),
  conversation: Text,
  thread: Text.exactOptional(),
});

/** One shape for each kind of live event: the compiler misses none. */
const SHAPES = {
  delta: z.object({ type: z.literal('delta'), runId: RunIdText, address: AddressShape, text: Text }),
  typing: z.object({
    type: z.literal('typing'),
    runId: RunIdText,
    address: AddressShape,
    isWorking: z.boolean(),
  }),
  queued: z.object({
    type: z.literal('queued'),
    address: AddressShape,
    eventId: Text,
    isQueued: z.boolean(),
  }),
  progress: z.object({ type: z.literal('progress'), runId: RunIdText, tool: Text.exactOptional() }),
  cancel: z.object({ type: z.literal('cancel'), runId: RunIdText }),
  operations: z.object({ type: z.literal('operations'), channel: Text, account: Text }),
  binding: z.object({ type: z.literal('binding'), address: AddressShape, sessionKey: SessionKeyText }),
  settled: z.object({ type: z.literal('settled'), runId: RunIdText, sessionKey: SessionKeyText }),
} satisfies { readonly [Type in LiveEvent['type']]: z.ZodType<Extract<LiveEvent, { type: Type }>> };

const Envelope = z.object({ from: Text, event: z.looseObject({ type: Text }) });

export interface LiveEnvelope {
  /** Which sender: events of our own come back and are left out. */
  readonly from: string;
  readonly event: LiveEvent;
}

export function parseLiveEnvelope(text: string): LiveEnvelope | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const envelope = Envelope.safeParse(json);
  if (!envelope.success || !Object.hasOwn(SHAPES, envelope.data.event.type)) return undefined;
  const { from, event } = envelope.data;
  const parsed = SHAPES[event.type as LiveEvent['type']].safeParse(event);
  return parsed.success ? { from, event: parsed.data } : undefined;
}
