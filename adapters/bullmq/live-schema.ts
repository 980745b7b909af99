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

const LiveEventShape = z.discriminatedUnion('type', [
  z.object({ type: z.literal('delta'), runId: RunIdText, address: AddressShape, text: Text }),
  z.object({ type: z.literal('typing'), runId: RunIdText, address: AddressShape, isWorking: z.boolean() }),
  z.object({ type: z.literal('progress'), runId: RunIdText, tool: Text.exactOptional() }),
  z.object({ type: z.literal('cancel'), runId: RunIdText }),
  z.object({ type: z.literal('operations'), channel: Text, account: Text }),
  z.object({ type: z.literal('binding'), address: AddressShape, sessionKey: SessionKeyText }),
  z.object({ type: z.literal('settled'), runId: RunIdText, sessionKey: SessionKeyText }),
]);

const Envelope = z.object({ from: Text, event: LiveEventShape });

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
  const parsed = Envelope.safeParse(json);
  return parsed.success ? parsed.data : undefined;
}
