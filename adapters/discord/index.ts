/**
 * Discord as a channel: one account of it. Events come in through the gateway and are translated; everything that goes out
 * goes through REST, so that it does not depend on the gateway being there.
 */
import { type GatewayDispatchPayload, REST, Routes } from 'discord.js';
import type { Address } from '../../src/core/address.ts';
import { asError } from '../../src/errors.ts';
import type { ChannelAdapter, ChannelCapabilities, ChannelHandlers } from '../../src/ports/channel.ts';
import { sleep } from '../../src/ports/clock.ts';
import type { DiscordAdapterParts, Self } from './account.ts';
import { CHANNEL, placeChannelId } from './addresses.ts';
import type { ApplicationFacts } from './application.ts';
import { createFetchFiles } from './attachments.ts';
import { createDiscordCalls } from './calls.ts';
import { createCatchUp } from './catch-up.ts';
import { registerCommands } from './command-registration.ts';
import { createConnection } from './connection.ts';
import { placeSchema, readySchema } from './events.ts';
import { createInTurn, insist } from './in-turn.ts';
import { createInteractions } from './interactions.ts';
import { MAX_TEXT_LENGTH } from './message-body.ts';
import { createMessageReplies } from './message-reply.ts';
import { createMessagesIn } from './messages-in.ts';
import { createDiscordOutbound } from './outbound.ts';
import { createPlaces } from './places.ts';
import { restOptions } from './rest.ts';
import { createThreadEvents } from './thread-events.ts';

export type { DiscordAdapterParts } from './account.ts';

const MIB = 1024 * 1024;
/** At a stop, how long the handing over of what has come in may take. */
const LAST_EVENTS_MS = 2_000;

const UNKNOWN_APPLICATION: ChannelCapabilities = {
  hasThreads: true,
  hasDirectThreads: false,
  threadsAreNamedByMessage: true,
  hasCards: true,
  maxTextLength: MAX_TEXT_LENGTH,
  maxTitleLength: 100,
  showsTables: false,
  maxFileBytes: 10 * MIB,
  editIntervalMs: 2_000,
  readsUnmentioned: false,
  needsMention: true,
  threadLink: '<#{thread}>',
  owners: [],
};

interface Listening {
  onApplication(facts: ApplicationFacts): Promise<void>;
  onEvent(event: GatewayDispatchPayload, shard: { readonly id: number; readonly count: number }): void;
  /** What has come in is handed over, or left to the next start. */
  stop(): Promise<void>;
}

export function createDiscordAdapter(parts: DiscordAdapterParts): ChannelAdapter {
  const { account, token, apiUrl, streaming, memory, clock } = parts;
  const log = parts.log.child({ channel: CHANNEL, account });
  const rest = new REST(restOptions(apiUrl)).setToken(token);
  const { call, stop: stopCalls } = createDiscordCalls(rest, clock);
  const outbound = createDiscordOutbound({ rest, clock, log, memory, streaming });
  let capabilities = UNKNOWN_APPLICATION;
  let listening: Listening | undefined;
  let stopped: Promise<void> | undefined;
  const connection = createConnection({
    token,
    apiUrl,
    call,
    clock,
    log,
    onApplication: async (facts) => listening?.onApplication(facts),
    onEvent: (event, shard) => listening?.onEvent(event, shard),
  });

  function listen(handlers: ChannelHandlers): Listening {
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
        capabilities.readsUnmentioned && parts.hearsUnaddressed(address, place),
    });
    const threads = createThreadEvents({ account, handlers, places, call, log });
    const catchUp = createCatchUp({ call, handlers, places, messages, inTurn, insisting });
    const interactions = createInteractions({
      account,
      handlers,
      places,
      call,
      replies,
      insisting,
      memory,
      isEphemeral: parts.commands.isEphemeral,
    });
    let self: Self | undefined;
    /** Live messages wait until the places with missed ones are known. */
    let caughtUp: Promise<void> = Promise.resolve();
    /** Once a process. */
    let settledIn: Promise<unknown> | undefined;
    const underWay = new Set<Promise<void>>();

    /** Never rejects. */
    function track(work: Promise<void>, what: string): void {
      const tracked = work.catch((thrown: unknown) => {
        log.error({ what, err: asError(thrown) }, 'an event of Discord could not be handled');
      });
      underWay.add(tracked);
      void tracked.then(() => underWay.delete(tracked));
    }

    function ready(data: unknown, shard: { id: number; count: number }): void {
      const { user } = readySchema.parse(data);
      self = { id: user.id, name: user.username };
      threads.begin();
      const isOurs = (address: Address) =>
        address.chatType === 'direct'
          ? shard.id === 0
          : isOfShard(places.known(placeChannelId(address))?.guildId, shard);
      const begin = catchUp.begin(self, isOurs);
      caughtUp = Promise.all([caughtUp, begin]).then(() => undefined);
      settledIn ??= Promise.all([
        outbound.cleanUp(),
        registerCommands({ call, specs: handlers.commands, settings: parts.commands, memory, insisting }),
      ]);
      track(
        settledIn.then(() => undefined),
        'registration of commands',
      );
    }

    function take(event: GatewayDispatchPayload, shard: { id: number; count: number }): void {
      const work = threads.workFor(event);
      if (work)
        track(
          insist(insisting, { event: event.t }, work).then(() => undefined),
          event.t,
        );
      places.note(event);
      if (event.t === 'READY') ready(event.d, shard);
      else if (event.t === 'MESSAGE_CREATE' && self) track(messages.hear(event.d, self, caughtUp), event.t);
      else if (event.t === 'INTERACTION_CREATE' && self) track(interactions.take(event.d, self), event.t);
    }

    return {
      async onApplication({ readsContent, owners }) {
        capabilities = { ...capabilities, readsUnmentioned: readsContent, owners };
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
        await settled;
        await Promise.all([replies.stop(), interactions.stop()]);
      },
    };
  }

  async function stop(): Promise<void> {
    await connection.stop();
    await listening?.stop();
    await outbound.stop();
    stopCalls();
    rest.clearHandlerSweeper();
    rest.clearHashSweeper();
  }

  return {
    channel: CHANNEL,
    account,
    get capabilities() {
      return capabilities;
    },
    state: connection.state,
    async start(handlers) {
      listening = listen(handlers);
      connection.start();
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
    send: outbound.send,
    findSent: outbound.findSent,
    openThread: outbound.openThread,
    edit: outbound.edit,
    setTyping: outbound.setTyping,
    setQueued: outbound.setQueued,
    preview: outbound.preview,
  };
}

/** Where a channel is not known, every shard looks. https://docs.discord.com/developers/events/gateway#sharding */
function isOfShard(guildId: string | undefined, { id, count }: { id: number; count: number }): boolean {
  return guildId === undefined || Number((BigInt(guildId) >> 22n) % BigInt(count)) === id;
}
