/** The whole application at the fake Discord: real client, real store, and scripted models. All of it ends with the test. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createSystemClock } from '../../adapters/node/index.ts';
import { type App, type AppParts, createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Models } from '../../src/ports/model.ts';
import type { Store } from '../../src/ports/store/index.ts';
import { type FakeDiscord, type FakeDiscordOptions, startFakeDiscord } from '../fakes/discord/index.ts';
import {
  createScriptedModels,
  isSubagent,
  lastText,
  type Script,
  type ScriptedModels,
} from '../fakes/scripted-models.ts';
import { type CountedClock, countTimers } from './counted-clock.ts';
import { silentLog } from './silent-log.ts';
import { tempDir } from './temp-dir.ts';
import { until } from './until.ts';

export interface DiscordAppParts<M extends Models = ScriptedModels> {
  /** Beside token and address, below `channels.discord`; default: everybody in every server is heard. */
  readonly discord?: Record<string, unknown>;
  /** The rest of the configuration file. */
  readonly config?: Record<string, unknown>;
  /** Default: they repeat the newest message. */
  readonly models?: M;
  readonly clock?: Clock;
  readonly log?: Log;
  /** Given the stores that were opened; returns those that are used. */
  readonly stores?: AppParts['stores'];
  /** False: it is not waited for the gateway and the slash commands. */
  readonly waits?: boolean;
}

export interface DiscordApp<M extends Models = ScriptedModels> {
  readonly app: App;
  readonly models: M;
  readonly clock: CountedClock;
  /** For states that nothing else brings about. */
  readonly store: Store;
  /** Of its web server. */
  readonly url: string;
  stop(graceMs?: number): Promise<void>;
}

/** Whoever is asked to "delegate <label>" gives that to a subagent with a thread; subagents and others repeat what they hear. */
export const delegating: Script = (request) => {
  const text = lastText(request);
  const label = /delegate (\w+)/.exec(text)?.[1];
  if (request.messages.at(-1)?.role === 'tool') return 'delegated';
  if (isSubagent(request) || label === undefined) return `echo: ${text}`;
  const args = { task: `see to ${label}`, label, thread: true };
  return { calls: [{ name: 'sessions_spawn', arguments: args }] };
};

/** No request may break Discord's description of its interface. */
export async function discordWorld(options: FakeDiscordOptions = {}) {
  const fake = await startFakeDiscord(options);
  onTestFinished(async () => {
    await fake.stop();
    expect(fake.violations).toEqual([]);
  });
  const guild = fake.addGuild({ name: 'Tests' });
  const folder = tempDir();
  return {
    fake,
    guild,
    general: fake.channel(guild, 'general'),
    user: fake.addUser({ name: 'ann' }),
    /** Again with the same state folder, once the one before has stopped. */
    start: <M extends Models = ScriptedModels>(parts: DiscordAppParts<M> = {}) =>
      startDiscordApp(fake, folder, parts),
  };
}

async function startDiscordApp<M extends Models>(
  fake: FakeDiscord,
  folder: string,
  parts: DiscordAppParts<M>,
): Promise<DiscordApp<M>> {
  const { token, apiUrl } = fake;
  const discord = { token, apiUrl, groupPolicy: 'open', ...parts.discord };
  writeFileSync(join(folder, 'skein.json5'), JSON.stringify({ ...parts.config, channels: { discord } }));
  const env = { SKEIN_HOME: join(folder, 'state') };
  const surroundings = { cwd: folder, env, home: folder, flags: { port: 0 } };
  const repeating: Models = createScriptedModels((request) => `echo: ${lastText(request)}`);
  const models = parts.models ?? (repeating as M);
  const clock = countTimers(parts.clock ?? createSystemClock());
  let store: Store | undefined;
  const app = await createApp(loadConfig(surroundings).config, {
    clock,
    models,
    log: parts.log ?? silentLog,
    stores(opened) {
      store = opened.store;
      return parts.stores?.(opened) ?? opened;
    },
  });
  let stopped: Promise<void> | undefined;
  const stop = (graceMs?: number) => {
    stopped ??= app.stop(graceMs);
    return stopped;
  };
  onTestFinished(async () => {
    await stop();
    expect(clock.pending()).toBe(0);
  });
  const { url } = await app.start();
  if (parts.waits !== false) {
    await fake.waitForGateway();
    // The last one of them.
    const isLast = ({ definition }: { definition: Record<string, unknown> }) => definition.name === 'help';
    await until(() => [...fake.world.commands.values()].some(isLast), { what: 'the slash commands' });
  }
  return { app, models, clock, store: store!, url, stop };
}
