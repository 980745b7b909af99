/**
 * The whole application over a chat platform in memory and scripted models, in a state folder of its own. It is stopped
 * when the test ends, and must then leave no timer behind.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createSystemClock } from '../../adapters/node/index.ts';
import { type App, createApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { ChannelCapabilities } from '../../src/ports/channel.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Log } from '../../src/ports/log.ts';
import type { Store, StoreReads } from '../../src/ports/store/index.ts';
import { createMemoryChannel, type MemoryChannel } from '../fakes/memory-channel.ts';
import { createScriptedModels, lastText, type ScriptedModels } from '../fakes/scripted-models.ts';
import { countTimers } from './counted-clock.ts';
import { silentLog } from './silent-log.ts';
import { tempDir } from './temp-dir.ts';

export interface TestAppParts {
  /** As in the configuration file. */
  readonly config?: Record<string, unknown>;
  /** Default: they repeat the newest message. */
  readonly models?: ScriptedModels;
  readonly clock?: Clock;
  readonly capabilities?: Partial<ChannelCapabilities>;
  /** The name of the chat platform in memory; `memory` when left out, where everybody is heard. */
  readonly channelName?: string;
  /** False: runs are left alone. */
  readonly worksItself?: boolean;
  /** Default: nobody reads it. */
  readonly log?: Log;
  /** An application that was stopped: this one goes on with its state folder and its chat. */
  readonly after?: TestApp;
}

export interface TestApp {
  readonly app: App;
  readonly channel: MemoryChannel;
  readonly models: ScriptedModels;
  /** Holds the configuration file and, below, the state folder. */
  readonly folder: string;
  /** The state folder. */
  readonly home: string;
  /** For states that nothing else brings about. */
  readonly store: Store;
  readonly read: StoreReads;
  /** Stops it before the test ends. */
  stop(graceMs?: number): Promise<void>;
}

export async function startTestApp(parts: TestAppParts = {}): Promise<TestApp> {
  const folder = parts.after?.folder ?? tempDir();
  const home = join(folder, 'state');
  writeFileSync(join(folder, 'skein.json5'), JSON.stringify(parts.config ?? {}));
  const surroundings = { cwd: folder, env: { SKEIN_HOME: home }, home: folder, flags: { port: 0 } };
  const channel = parts.after?.channel ?? createMemoryChannel(parts.capabilities, parts.channelName);
  const models = parts.models ?? createScriptedModels((request) => `echo: ${lastText(request)}`);
  const clock = countTimers(parts.clock ?? createSystemClock());
  let store: Store | undefined;
  const app = await createApp(loadConfig(surroundings).config, {
    clock,
    models,
    log: parts.log ?? silentLog,
    channels: [channel],
    worksItself: parts.worksItself ?? true,
    stores(opened) {
      store = opened.store;
      return opened;
    },
  });
  const stop = async (graceMs?: number) => {
    await app.stop(graceMs);
    expect(clock.pending(), 'timers left after the stop').toBe(0);
  };
  onTestFinished(() => stop());
  await app.start();
  return { app, channel, models, folder, home, store: store!, read: store!.read, stop };
}
