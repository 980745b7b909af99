/**
 * Discord as a channel: one account of it. Events come in through the gateway and are translated; everything that goes out
 * goes through REST, so that it does not depend on the gateway being there.
 */
import { REST } from 'discord.js';
import type { ChannelAdapter } from '../../src/ports/channel.ts';
import type { DiscordAdapterParts } from './account.ts';
import { CHANNEL } from './addresses.ts';
import { createDiscordCalls } from './calls.ts';
import { UNCONNECTED } from './capabilities.ts';
import { createConnection } from './gateway/connection.ts';
import { createReceiving, type Receiving } from './gateway/receiving.ts';
import { createDiscordOutbound } from './outbound/outbound.ts';
import { restOptions } from './rest.ts';

export type { DiscordAdapterParts } from './account.ts';

export function createDiscordAdapter(parts: DiscordAdapterParts): ChannelAdapter {
  const { account, token, apiUrl, streaming, memory, clock } = parts;
  const log = parts.log.child({ channel: CHANNEL, account });
  const rest = new REST(restOptions(apiUrl));
  const { call, stop: stopCalls } = createDiscordCalls(rest, token, clock);
  const outbound = createDiscordOutbound({ call, clock, log, memory, streaming });
  let capabilities = UNCONNECTED;
  let receiving: Receiving | undefined;
  let stopped: Promise<void> | undefined;
  const connection = createConnection({
    token,
    apiUrl,
    call,
    clock,
    log,
    async onApplication({ readsContent, owners }) {
      capabilities = { ...capabilities, readsUnmentioned: readsContent, owners };
      await receiving?.capabilitiesChanged();
    },
    onEvent: (event, shard) => receiving?.onEvent(event, shard),
  });

  async function stop(): Promise<void> {
    // No event comes once the connection is told to stop; a connection that waits for something to be stored is given up
    // together with what has come in.
    await Promise.all([connection.stop(), receiving?.stop()]);
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
      const readsUnmentioned = () => capabilities.readsUnmentioned;
      receiving = createReceiving({ settings: parts, handlers, call, outbound, readsUnmentioned, log });
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
