/**
 * What the JSON columns hold. A row may have been written by an older version or edited by hand, so text from the database
 * is parsed here and nowhere else. `exactly` makes the compiler compare a schema with the type it stands for, both ways: a
 * field added to the type and forgotten here would otherwise be dropped in silence.
 */
import { z } from 'zod';
import type { Address } from '../../src/core/address.ts';
import type { RunCard } from '../../src/core/card.ts';
import type { HeldMessage } from '../../src/core/held-message.ts';
import { operationId, runId, type SessionKey } from '../../src/core/ids.ts';
import type { Actor } from '../../src/core/message.ts';
import { type Origin, type Outcome, RUN_STATUSES, type Usage, type WaitingOn } from '../../src/core/run.ts';
import type { EntryContent, Picture, Provenance } from '../../src/core/transcript.ts';
import { AppError } from '../../src/errors.ts';
import type { ChannelCapabilities } from '../../src/ports/channel.ts';
import type {
  Fault,
  OperationCall,
  OperationPurpose,
  OperationReceipt,
  StateEvent,
} from '../../src/ports/store/index.ts';

type Plain<T> = T extends string | number | boolean | null | undefined
  ? T
  : { -readonly [K in keyof T]: Plain<T[K]> };
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? unknown : 'differs from its type';

/** One JSON column: written with `JSON.stringify`, read back with `parse`. */
export interface JsonColumn<T> {
  parse(text: string): T;
  /** `undefined` for NULL. */
  parseOptional(text: string | null): T | undefined;
}

export function exactly<T>() {
  return <S extends z.ZodType>(
    name: string,
    schema: S & Same<Plain<z.output<S>>, Plain<T>>,
  ): JsonColumn<T> & { readonly schema: S } => {
    const parse = (text: string): T => {
      try {
        return schema.parse(JSON.parse(text)) as T;
      } catch (cause) {
        throw new AppError('store-failed', `A stored ${name} cannot be read.`, { cause });
      }
    };
    return { schema, parse, parseOptional: (text) => (text === null ? undefined : parse(text)) };
  };
}

const run = z.string().transform(runId);
const operation = z.string().transform(operationId);
const session = z.string().transform((text) => text as SessionKey);

export const usageJson = exactly<Usage>()(
  'usage',
  z.object({ inputTokens: z.number(), outputTokens: z.number(), cachedTokens: z.number() }),
);

export const addressJson = exactly<Address>()(
  'address',
  z.object({
    channel: z.string(),
    account: z.string(),
    chatType: z.enum(['direct', 'group', 'channel']),
    conversation: z.string(),
    thread: z.string().exactOptional(),
  }),
);

export const heldMessageJson = exactly<HeldMessage>()(
  'missed message',
  z.object({
    address: addressJson.schema,
    eventId: z.string(),
    sender: z.object({ id: z.string(), name: z.string(), isBot: z.boolean() }),
    text: z.string(),
    source: z.enum(['message', 'button', 'command']),
    isAddressed: z.boolean(),
    isMention: z.boolean().exactOptional(),
    place: z
      .object({
        space: z.string().exactOptional(),
        name: z.string().exactOptional(),
        roles: z.array(z.string()).exactOptional(),
        isOwnThread: z.boolean().exactOptional(),
      })
      .exactOptional(),
    command: z.object({ name: z.string(), options: z.record(z.string(), z.string()) }).exactOptional(),
    presser: z.string().exactOptional(),
    files: z.array(z.object({ name: z.string(), refused: z.string() })).exactOptional(),
    quote: z.object({ author: z.string(), isBot: z.boolean(), text: z.string() }).exactOptional(),
    at: z.number(),
  }),
);

export const cardJson = exactly<RunCard>()(
  'card',
  z.object({
    runId: z.string(),
    agent: z.string(),
    label: z.string(),
    title: z.string().exactOptional(),
    state: z.enum(['opening', ...RUN_STATUSES]),
    thread: z.string().exactOptional(),
    tool: z.string().exactOptional(),
    startedAt: z.number().exactOptional(),
    endedAt: z.number().exactOptional(),
    usage: usageJson.schema,
    activeChildren: z.number(),
    note: z.string().exactOptional(),
    isQuestion: z.boolean().exactOptional(),
    actions: z.array(
      z.object({
        label: z.string(),
        command: z.string(),
        thread: z.string().exactOptional(),
        presser: z.string().exactOptional(),
      }),
    ),
  }),
);

const actor = z.object({
  channel: z.string(),
  id: z.string(),
  name: z.string(),
  role: z.enum(['owner', 'user', 'bot']),
});
export const actorJson = exactly<Actor>()('actor', actor);

const delivery = z.union([
  z.object({ kind: z.literal('external'), address: addressJson.schema }),
  z.object({ kind: z.literal('internal') }),
]);
export const originJson = exactly<Origin>()(
  'origin',
  z.object({ delivery, announceTo: delivery.exactOptional(), actor: actor.exactOptional() }),
);

export const waitingOnJson = exactly<WaitingOn>()(
  'wait of a run',
  z.union([
    z.object({ kind: z.literal('children'), runs: z.array(z.string()), until: z.enum(['all', 'any']) }),
    z.object({ kind: z.literal('operation'), operation: z.string() }),
  ]),
);

const fault = z.object({ code: z.string(), message: z.string() });
export const faultJson = exactly<Fault>()(
  'error',
  z.object({ code: z.string(), message: z.string(), hint: z.string().exactOptional() }),
);

export const outcomeJson = exactly<Outcome>()(
  'outcome',
  z.object({ text: z.string(), error: fault.exactOptional() }),
);

export const provenanceJson = exactly<Provenance>()(
  'provenance',
  z.object({
    kind: z.enum(['user', 'task', 'completion', 'inter_session', 'runtime', 'model', 'tool']),
    sender: z
      .object({ id: z.string(), name: z.string(), role: z.enum(['owner', 'user', 'bot']) })
      .exactOptional(),
    sourceSession: z.string().exactOptional(),
    sourceRun: z.string().exactOptional(),
    eventId: z.string().exactOptional(),
    place: z.string().exactOptional(),
    forkedFrom: z.string().exactOptional(),
  }),
);

const pictures = z.array(z.object({ file: z.string(), mediaType: z.string(), name: z.string() }));
export const picturesJson = exactly<readonly Picture[]>()('list of pictures', pictures);

export const contentJson = exactly<EntryContent>()(
  'transcript entry',
  z.union([
    z.object({ role: z.literal('user'), text: z.string(), images: pictures.exactOptional() }),
    z.object({
      role: z.literal('assistant'),
      text: z.string(),
      toolCalls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.unknown() })),
    }),
    z.object({
      role: z.literal('toolResult'),
      callId: z.string(),
      toolName: z.string(),
      result: z.unknown(),
      isError: z.boolean(),
    }),
  ]),
);

export const callJson = exactly<OperationCall>()(
  'platform call',
  z.union([
    z.object({
      kind: z.literal('send'),
      text: z.string(),
      card: cardJson.schema.exactOptional(),
      replyTo: z.string().exactOptional(),
      file: z.object({ name: z.string(), text: z.string() }).exactOptional(),
    }),
    z.object({
      kind: z.literal('open-thread'),
      anchor: z.union([operation, z.object({ messageId: z.string() })]),
      title: z.string(),
    }),
    z.object({
      kind: z.literal('edit'),
      target: operation,
      text: z.string(),
      card: cardJson.schema.exactOptional(),
    }),
  ]),
);

export const purposeJson = exactly<OperationPurpose>()(
  'purpose of a platform call',
  z.union([
    z.object({ kind: z.literal('notice') }),
    z.object({ kind: z.literal('reply'), runId: run, announces: z.array(run) }),
    z.object({ kind: z.literal('announce'), announces: z.array(run) }),
    z.object({ kind: z.literal('card'), runId: run }),
    z.object({ kind: z.literal('spawn-thread'), runId: run }),
    z.object({ kind: z.literal('reply-thread'), runId: run }),
    z.object({ kind: z.literal('focus-thread'), sessionKey: session, boundBy: actor }),
  ]),
);

export const receiptJson = exactly<OperationReceipt>()(
  'receipt',
  z.object({ messageId: z.string().exactOptional(), thread: z.string().exactOptional() }),
);

export const stateJson = exactly<StateEvent['payload']>()(
  'state event',
  z.object({
    outcome: z.string().exactOptional(),
    channel: z.string().exactOptional(),
    turns: z.number().exactOptional(),
  }),
);

export const capabilitiesJson = exactly<ChannelCapabilities>()(
  'description of a channel',
  z.object({
    hasThreads: z.boolean(),
    hasDirectThreads: z.boolean(),
    threadsAreNamedByMessage: z.boolean(),
    hasCards: z.boolean(),
    maxTextLength: z.number(),
    maxTitleLength: z.number(),
    showsTables: z.boolean(),
    maxFileBytes: z.number(),
    editIntervalMs: z.number(),
    readsUnmentioned: z.boolean(),
    needsMention: z.boolean(),
    threadLink: z.string(),
    owners: z.array(z.string()),
  }),
);
