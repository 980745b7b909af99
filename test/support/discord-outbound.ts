/** The outbound half of the Discord adapter, over the real REST client, at the fake Discord; it ends with the test. */
import { REST, type RESTOptions } from 'discord.js';
import { expect, onTestFinished } from 'vitest';
import { addressOf } from '../../adapters/discord/addresses.ts';
import { createDiscordCalls } from '../../adapters/discord/calls.ts';
import { createDiscordOutbound, type OutboundParts } from '../../adapters/discord/outbound/outbound.ts';
import { restOptions } from '../../adapters/discord/rest.ts';
import { createSystemClock } from '../../adapters/node/index.ts';
import type { Address } from '../../src/core/address.ts';
import type { RunCard } from '../../src/core/card.ts';
import { NO_USAGE } from '../../src/core/run.ts';
import type { Clock } from '../../src/ports/clock.ts';
import {
  type Channel,
  type FakeDiscord,
  type FakeDiscordOptions,
  startFakeDiscord,
} from '../fakes/discord/index.ts';
import { createMapMemory } from './map-memory.ts';
import { silentLog } from './silent-log.ts';

/** With a server that has a channel `general`. Not one request may break Discord's description of its interface. */
export async function discordOutbound(options: FakeDiscordOptions = {}) {
  const fake = await startFakeDiscord(options);
  onTestFinished(async () => {
    await fake.stop();
    expect(fake.violations).toEqual([]);
  });
  const guild = fake.addGuild({ name: 'Tests' });
  const system = createSystemClock();
  const clock: Clock = { now: options.now ?? system.now, after: system.after };
  const memory = createMapMemory();

  /** As a process that has just started: it shares only the memory with those before it. */
  function start({
    rest = restAt(fake),
    ...changed
  }: Partial<Omit<OutboundParts, 'call'>> & { readonly rest?: REST } = {}) {
    const parts = { clock, memory, log: silentLog, streaming: 'partial', ...changed } as const;
    const { call, stop } = createDiscordCalls(rest, fake.token, parts.clock);
    const outbound = createDiscordOutbound({ ...parts, call });
    onTestFinished(async () => {
      await outbound.stop();
      stop();
    });
    return outbound;
  }

  return { fake, guild, general: fake.channel(guild, 'general'), memory, start, outbound: start() };
}

/** The client as the adapter sets it up, but for `changed`. */
export function restAt(fake: FakeDiscord, changed: Partial<RESTOptions> = {}): REST {
  return new REST({ ...restOptions(fake.apiUrl), ...changed });
}

/** A channel, thread or post of the fake as an address. */
export function at(channel: Channel): Address {
  return addressOf('default', {
    channelId: channel.id,
    ...(channel.thread && { parentId: channel.parentId! }),
    isDirect: channel.type === 'dm',
  });
}

export function card(changed: Partial<RunCard> = {}): RunCard {
  return {
    runId: 'run_1',
    agent: 'main',
    label: 'notes',
    state: 'opening',
    usage: NO_USAGE,
    activeChildren: 0,
    actions: [{ label: 'Stop', command: '/subagents kill run_1' }],
    ...changed,
  };
}

/** What was refused: code, words for people, and how long to wait. */
export async function refusalOf(work: Promise<unknown>) {
  try {
    await work;
  } catch (thrown) {
    const { code, hint, retryAfterMs } = thrown as { code: string; hint?: string; retryAfterMs?: number };
    return { code, hint, retryAfterMs };
  }
  throw new Error('nothing was refused');
}
