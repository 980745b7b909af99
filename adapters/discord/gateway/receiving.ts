/**
 * All that comes in from one account, put together: each event of the gateway goes to whoever it is for, and what cannot be
 * handled is written to the log with its kind, never thrown at the gateway.
 */
import { type GatewayDispatchPayload, Routes } from 'discord.js';
import type { Address } from '../../../src/core/address.ts';
import { asError } from '../../../src/errors.ts';
import type { ChannelHandlers } from '../../../src/ports/channel.ts';
import { sleep } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import type { DiscordAdapterParts, Self } from '../account.ts';
import { placeChannelId } from '../addresses.ts';
import type { CallDiscord } from '../calls.ts';
import { registerCommands } from '../commands/command-registration.ts';
import { createInteractions } from '../commands/interactions.ts';
import { createFetchFiles } from '../inbound/attachments.ts';
import { createCatchUp } from '../inbound/catch-up.ts';
import { createMessageReplies } from '../inbound/message-reply.ts';
import { createMessagesIn } from '../inbound/messages-in.ts';
import { createFindMissed } from '../inbound/missed-messages.ts';
import type { DiscordOutbound } from '../outbound/outbound.ts';
import { placeSchema } from '../schema.ts';
import { readySchema } from './events.ts';
import { createInTurn, insist } from './in-turn.ts';
import { createPlaces } from './places.ts';
import { createThreadEvents } from './thread-events.ts';

/** At a stop, how long the handing over of what has come in may take. */
const LAST_EVENTS_MS = 2_000;

export interface Shard {
  readonly id: number;
  /** Of all there are. */
  readonly count: number;
}

export interface ReceivingParts {
  readonly settings: DiscordAdapterParts;
  readonly handlers: ChannelHandlers;
  readonly call: CallDiscord;
  readonly outbound: Pick<DiscordOutbound, 'send' | 'cleanUp'>;
  /** Whether messages that do not address the bot reach us with their text. */
  readsUnmentioned(): boolean;
  readonly log: Log;
}

export interface Receiving {
  /** Resolves once that is stored, or everything stops. Never rejects. */
  capabilitiesChanged(): Promise<void>;
  /** Never throws. */
  onEvent(event: GatewayDispatchPayload, shard: Shard): void;
  /** What has come in is handed over, or left to the next start. */
  stop(): Promise<void>;
}

export function createReceiving(parts: ReceivingParts): Receiving {
  const { settings, handlers, call, outbound, log } = parts;
  const { account, memory, clock } = settings;
  const stopping = new AbortController();
  const { signal } = stopping;
  const insisting = { clock, log, signal };
  const inTurn = createInTurn();
  const places = createPlaces((id) =>
    call({ what: 'look at a channel', method: 'GET', route: Routes.channel(id), answer: placeSchema }),
  );
  const replies = createMessageReplies({ send: outbound.send, clock, log });
  const messages = createMessagesIn({
    account,
    handlers,
    places,
    inTurn,
    insisting,
    fetchFiles: createFetchFiles(insisting),
    replies,
    hearsUnaddressed: (address, place) =>
      parts.readsUnmentioned() && settings.hearsUnaddressed(address, place),
  });
  const threads = createThreadEvents({ account, handlers, places, call, log });
  const find = createFindMissed({ call, places, messages, insisting });
  const catchUp = createCatchUp({ handlers, find, inTurn, insisting });
  const interactions = createInteractions({
    account,
    handlers,
    places,
    call,
    replies,
    insisting,
    memory,
    isEphemeral: settings.commands.isEphemeral,
  });
  let self: Self | undefined;
  /** Live messages wait until the places with missed ones are known. */
  let caughtUp: Promise<void> = Promise.resolve();
  /** Once a process. */
  let cleanedUp: Promise<void> | undefined;
  /** Once a process, unless it fails for a reason that passes. */
  let registered: Promise<void> | undefined;
  const underWay = new Set<Promise<unknown>>();

  /** Never rejects. */
  function track(work: Promise<unknown>, what: string): void {
    const tracked = work.catch((thrown: unknown) => {
      log.error({ what, err: asError(thrown) }, 'an event of Discord could not be handled');
    });
    underWay.add(tracked);
    void tracked.then(() => underWay.delete(tracked));
  }

  function ready(data: unknown, shard: Shard): void {
    const { user } = readySchema.parse(data);
    self = { id: user.id, name: user.username };
    threads.begin();
    const isOurs = (address: Address) =>
      address.chatType === 'direct'
        ? shard.id === 0
        : isOfShard(places.known(placeChannelId(address))?.guildId, shard);
    const begin = catchUp.begin(self, isOurs);
    caughtUp = Promise.all([caughtUp, begin]).then(() => undefined);
    cleanedUp ??= outbound.cleanUp();
    track(cleanedUp, 'what an earlier start has left');
    registered ??= register();
    track(registered, 'registration of commands');
  }

  async function register(): Promise<void> {
    const specs = handlers.commands;
    const isDone = await registerCommands({ call, specs, settings: settings.commands, memory, insisting });
    // The next session of the gateway tries again.
    if (!isDone) registered = undefined;
  }

  function take(event: GatewayDispatchPayload, shard: Shard): void {
    const work = threads.workFor(event);
    if (work) track(insist(insisting, { event: event.t }, work), event.t);
    places.note(event);
    if (event.t === 'READY') ready(event.d, shard);
    else if (event.t === 'RESUMED' && self) catchUp.again(self);
    else if (event.t === 'MESSAGE_CREATE' && self) track(messages.hear(event.d, self, caughtUp), event.t);
    else if (event.t === 'INTERACTION_CREATE' && self) track(interactions.take(event.d, self), event.t);
  }

  return {
    async capabilitiesChanged() {
      await insist(insisting, {}, () => handlers.capabilitiesChanged());
    },
    onEvent(event, shard) {
      try {
        take(event, shard);
      } catch (thrown) {
        log.error({ event: event.t, err: asError(thrown) }, 'an event of Discord could not be read');
      }
    },
    async stop() {
      const settled = Promise.all([...underWay, inTurn.settled()]);
      await Promise.race([settled, sleep(clock, LAST_EVENTS_MS, signal)]);
      stopping.abort();
      await Promise.all([settled, catchUp.settled()]);
      await Promise.all([replies.stop(), interactions.stop()]);
    },
  };
}

/** Where a channel is not known, every shard looks. https://docs.discord.com/developers/events/gateway#sharding */
function isOfShard(guildId: string | undefined, { id, count }: Shard): boolean {
  return guildId === undefined || Number((BigInt(guildId) >> 22n) % BigInt(count)) === id;
}
