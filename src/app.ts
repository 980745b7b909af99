/**
 * The composition root: the only place that knows concrete adapters. Reads from top to bottom as the way of a message:
 * store → engine → subagents and threads → commands → outbox → channels.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedRunQueue, createInProcessLive } from '../adapters/embedded/index.ts';
import { createModels } from '../adapters/models/index.ts';
import {
  createPinoLog,
  createSystemClock,
  createSystemIds,
  isOwnerAlive,
  processOwner,
} from '../adapters/node/index.ts';
import { acquireStateLock, openSqliteStore, type SqliteStores } from '../adapters/sql/index.ts';
import { createWebchatAdapter } from '../adapters/webchat/index.ts';
import type { Command } from '../commands/command.ts';
import { createCompletion } from '../commands/complete.ts';
import { createCommands } from '../commands/index.ts';
import { agentEntry, MAIN_AGENT } from './config/agents.ts';
import type { Config } from './config/load.ts';
import { createSettings } from './config/settings.ts';
import { LANES } from './core/run.ts';
import { createChannels } from './delivery/channels.ts';
import { directoryOf } from './delivery/directory.ts';
import { relayLive } from './delivery/live-relay.ts';
import { createOutbox } from './delivery/outbox.ts';
import { createEngine } from './engine.ts';
import { createHttpServer, type Readiness, readOrCreateToken } from './http/index.ts';
import { createOperationEnd } from './operation-end.ts';
import type { ChannelAdapter, ChannelHandlers } from './ports/channel.ts';
import type { Clock } from './ports/clock.ts';
import type { Ids } from './ports/ids.ts';
import type { Log } from './ports/log.ts';
import type { ModelDescription, Models } from './ports/model.ts';
import { createAdmit } from './runs/admit.ts';
import { archiveDue } from './subagents/archive.ts';
import { createCardProgress } from './subagents/card-progress.ts';
import { createStop } from './subagents/stop.ts';
import { createThreadOpened } from './subagents/thread-opened.ts';
import { createSweeper } from './sweeper.ts';
import { expireBindings } from './threads/expire.ts';
import { createFocus } from './threads/focus.ts';
import { threadGone } from './threads/gone.ts';
import { bindingViews } from './threads/views.ts';
import { createRunTool, type RunTool } from './tools/run-tool.ts';

export interface App {
  /** Resolves when the app is ready. `pageUrl` holds the access token: it is for the owner's eyes only. */
  start(): Promise<{ readonly url: string; readonly pageUrl: string }>;
  /** Takes nothing more in, lets runs finish for up to `graceMs`, and frees everything. Idempotent. */
  stop(graceMs?: number): Promise<void>;
  readonly runTool: RunTool;
}

/** Parts that a caller brings along instead of the usual ones. */
export interface AppParts {
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly log?: Log;
  readonly models?: Models;
  /** Given the stores that were opened; returns those that are used. */
  readonly stores?: (opened: SqliteStores) => SqliteStores;
  /** Instead of those that are configured. */
  readonly channels?: readonly ChannelAdapter[];
}

/**
 * Opens the state folder and puts everything together; nothing is received or carried out before `start`. Rejects with an
 * AppError when the folder is in use or cannot be used.
 */
export async function createApp(config: Config, parts: AppParts = {}): Promise<App> {
  const clock = parts.clock ?? createSystemClock();
  const ids = parts.ids ?? createSystemIds();
  const lock = acquireStateLock(join(config.home, 'gateway.lock'));
  try {
    const token = config.http.token ?? (await readOrCreateToken(config.home, ids));
    const log = parts.log ?? processLog(config, token);
    const opened = await openSqliteStore({ ...config.store, clock, log });
    const stores = parts.stores?.(opened) ?? opened;
    return compose({ config, clock, ids, log, stores, token, release: () => lock.release() }, parts);
  } catch (thrown) {
    lock.release();
    throw thrown;
  }
}

function processLog(config: Config, token: string): Log {
  return createPinoLog({
    level: config.logLevel,
    secrets: [...config.secrets, token],
    destination: process.stderr,
    isForPeople: process.stderr.isTTY === true,
  });
}

interface Opened {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly stores: SqliteStores;
  readonly token: string;
  release(): void;
}

function compose({ config, clock, ids, log, stores, token, release }: Opened, parts: AppParts): App {
  const settings = createSettings(config, availableParallelism());
  const owner = processOwner();
  const { store } = stores;
  const live = createInProcessLive({ log });
  const queue = createEmbeddedRunQueue({ log });
  const { models, defaultModel } = rememberDefault(
    parts.models ?? configuredModels(config, clock, log),
    config,
  );

  const webchat = createWebchatAdapter({ store: stores.chat, clock, ids, log, agentName: botName(config) });
  const channels = createChannels(parts.channels ?? [webchat]);
  const directory = directoryOf(channels.all);

  const engineParts = {
    store,
    queue,
    live,
    directory,
    settings,
    models,
    owner,
    isOwnerAlive,
    clock,
    ids,
    log,
  };
  const engine = createEngine(engineParts);
  const { read, commit, settlement, spawn, toolbox, worker, recover } = engine;

  // Commands and admission.
  const focus = createFocus({ directory, settings, clock });
  const stop = createStop({ settlement, clock });
  const commands = createCommands({ spawn, stop, focus, models, defaultModel, settings, clock });
  const admit = createAdmit({ commit, read, directory, settings, commands, ids, clock, log });
  const handlers: ChannelHandlers = {
    message: admit,
    threadGone: (address, reason) => threadGone(commit, settings, clock, address, reason),
    bindings: (conversation) => bindingViews(read, clock, conversation),
    commands: commands.specs as readonly Command[],
    complete: createCompletion({ read, settings, specs: commands.specs }),
  };

  // Out again.
  const spawnThread = createThreadOpened({ directory, settings, ids, clock });
  const onEnd = createOperationEnd({ spawnThread, focus, clock, log });
  const outbox = createOutbox({ commit, read, channels, live, onEnd, owner, clock, log });
  const cardProgress = createCardProgress({ read, channels, live, clock, log });
  const stopRelay = relayLive(live, channels);

  const sweeper = createSweeper(
    [
      ...engine.sweeps(LANES),
      { name: 'bindings', run: () => expireBindings(read, commit, settings, clock) },
      { name: 'archive', run: () => archiveDue(read, commit, settings, clock) },
      { name: 'outbox', run: async () => outbox.sweep() },
    ],
    clock,
    log,
  );

  let readiness: Readiness = { isReady: false, components: { store: 'ready' } };
  const runTool = createRunTool({ commit, read, toolbox, ids });
  const http = createHttpServer({
    host: config.http.host,
    port: config.http.port,
    token,
    isTokenConfigured: config.http.token !== undefined,
    clock,
    log,
    readiness: () => readiness,
    runTool,
    routes: [webchat.routes],
  });

  async function start() {
    const { url } = await http.start();
    const freed = await recover.freeDead();
    if (freed.runs + freed.operations > 0)
      log.info(freed, 'went on where an earlier process was interrupted');
    cardProgress.start();
    outbox.start();
    worker.start(LANES);
    for (const adapter of channels.all) await adapter.start(handlers);
    sweeper.start();
    const states = channels.all.map((adapter) => [adapter.channel, 'ready'] as const);
    readiness = {
      isReady: true,
      components: { store: 'ready', queue: 'ready', ...Object.fromEntries(states) },
    };
    log.info({ url, owner }, 'ready');
    return { url, pageUrl: `${url}/?token=${token}` };
  }

  async function shutDown(graceMs: number): Promise<void> {
    readiness = { ...readiness, isReady: false };
    await http.stop();
    await sweeper.stop();
    await worker.stop(graceMs);
    await outbox.stop();
    for (const adapter of channels.all) await adapter.stop();
    cardProgress.stop();
    stopRelay();
    await stores.close();
    release();
  }

  let stopping: Promise<void> | undefined;
  return {
    async start() {
      try {
        return await start();
      } catch (thrown) {
        await shutDown(0);
        throw thrown;
      }
    },
    stop(graceMs = 0) {
      stopping ??= shutDown(graceMs);
      return stopping;
    },
    runTool,
  };
}

/** Who signs the bot's messages. */
function botName(config: Config): string {
  return agentEntry(config, MAIN_AGENT)?.name ?? 'Skein';
}

function configuredModels(config: Config, clock: Clock, log: Log): Models {
  const providers = new Map(
    config.providers.flatMap((provider) =>
      provider.api === 'openai-chat' || provider.api === 'offline'
        ? [
            [
              provider.id,
              { ...provider, api: provider.api, models: provider.models.map(modelPrices) },
            ] as const,
          ]
        : [],
    ),
  );
  const { provider, model } = config.defaultModel;
  return createModels({
    providers,
    defaultModel: model === undefined ? provider : `${provider}/${model}`,
    clock,
    log,
  });
}

function modelPrices(model: Config['providers'][number]['models'][number]) {
  const { id, contextWindow, cost } = model;
  return {
    id,
    ...(contextWindow !== undefined && { contextWindow }),
    ...(cost && {
      cost: {
        input: cost.input,
        output: cost.output,
        ...(cost.cacheRead !== undefined && { cachedInput: cost.cacheRead }),
      },
    }),
  };
}

/** Keeps in view which model is used by default, without asking a provider that has not been asked. */
function rememberDefault(
  models: Models,
  config: Config,
): { models: Models; defaultModel(): ModelDescription | undefined } {
  const { provider, model } = config.defaultModel;
  let known = model === undefined ? undefined : models.describe(`${provider}/${model}`);
  return {
    models: {
      ...models,
      defaultModel: async () => {
        known = await models.defaultModel();
        return known;
      },
    },
    defaultModel: () => known,
  };
}
