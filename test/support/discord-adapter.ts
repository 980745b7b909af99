/** The adapter of Discord alone, at the fake Discord, with handlers that note what they are handed. It ends with the test. */
import { expect, onTestFinished } from 'vitest';
import type { DiscordAdapterParts } from '../../adapters/discord/account.ts';
import { createDiscordAdapter } from '../../adapters/discord/index.ts';
import { createSystemClock } from '../../adapters/node/index.ts';
import type { Address } from '../../src/core/address.ts';
import type { CommandSpec } from '../../src/core/command-grammar.ts';
import type { ChannelHandlers, Cursor, InboundMessage } from '../../src/ports/channel.ts';
import { type FakeDiscord, type FakeDiscordOptions, startFakeDiscord } from '../fakes/discord/index.ts';
import { countTimers } from './counted-clock.ts';
import { createMapMemory } from './map-memory.ts';
import { createRecordingLog } from './recording-log.ts';
import { until } from './until.ts';

export async function fakeWithGuild(options: FakeDiscordOptions = {}) {
  const fake = await startFakeDiscord(options);
  onTestFinished(async () => {
    await fake.stop();
    expect(fake.violations).toEqual([]);
  });
  const guild = fake.addGuild({ name: 'Tests' });
  return { fake, guild, general: fake.channel(guild, 'general'), user: fake.addUser({ name: 'ann' }) };
}

export interface Told {
  readonly messages: InboundMessage[];
  readonly missed: { readonly address: Address; readonly messages: readonly InboundMessage[] }[];
  readonly gone: { readonly address: Address; readonly reason: string }[];
  readonly archived: Address[];
  changed: number;
}

export interface AdapterUnderTest {
  readonly handlers?: Partial<ChannelHandlers>;
  readonly parts?: Partial<DiscordAdapterParts>;
  readonly cursors?: readonly Cursor[];
  readonly commands?: readonly CommandSpec[];
  /** False: it is not waited for that it is connected. */
  readonly waits?: boolean;
}

export async function startAdapter(fake: FakeDiscord, under: AdapterUnderTest = {}) {
  const told: Told = { messages: [], missed: [], gone: [], archived: [], changed: 0 };
  const { log, lines } = createRecordingLog();
  const clock = countTimers(createSystemClock());
  const adapter = createDiscordAdapter({
    account: 'default',
    token: fake.token,
    apiUrl: fake.apiUrl,
    streaming: 'off',
    commands: { isNative: true, isEphemeral: true },
    hearsUnaddressed: () => true,
    memory: createMapMemory(),
    clock,
    log,
    ...under.parts,
  });
  const handlers: ChannelHandlers = {
    message: async (message) => {
      told.messages.push(message);
      return { status: 'admitted', sessionKey: 'k', runId: 'r' };
    },
    mayTalk: async () => true,
    threadGone: async (address, reason) => void told.gone.push({ address, reason }),
    threadArchived: async (address) => void told.archived.push(address),
    cursors: async () => under.cursors ?? [],
    missed: async (address, messages) => void told.missed.push({ address, messages }),
    capabilitiesChanged: async () => {
      told.changed += 1;
    },
    bindings: async () => [],
    commands: under.commands ?? [],
    complete: async () => [],
    ...under.handlers,
  };
  onTestFinished(async () => {
    await adapter.stop();
    expect(clock.pending()).toBe(0);
  });
  await adapter.start(handlers);
  if (under.waits !== false) await isReady(adapter);
  return { adapter, told, lines };
}

export async function isReady(adapter: ReturnType<typeof createDiscordAdapter>): Promise<void> {
  await until(() => adapter.state?.().status === 'ready', {
    what: 'a connection',
    seen: () => adapter.state?.(),
  });
}
