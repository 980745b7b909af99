/**
 * The composition root of the gateway; a worker process has its own (`app-worker.ts`). Reads from top to bottom as the way
 * of a message: store → engine → commands and admission → outbox → channels.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createSystemClock, createSystemIds, isOwnerAlive, processOwner } from '../adapters/node/index.ts';
import { acquireStateLock, openSqliteStore, type SqliteStores } from '../adapters/sql/index.ts';
import { createWebchatAdapter } from '../adapters/webchat/index.ts';
import type { Command } from '../commands/command.ts';
import { createCompletion } from '../commands/complete.ts';
import { createCommands } from '../commands/index.ts';
import { createPairings, type Pairings } from './access/pairing.ts';
import { createStartChecks } from './app-doctor.ts';
import {
  configuredChannels,
  configuredModels,
  createSignals,
  processLog,
  rememberDefault,
  type Signals,
} from './app-parts.ts';
import { agentEntry, MAIN_AGENT } from './config/agents.ts';
import type { Config } from './config/load.ts';
import { createSettings } from './config/settings.ts';
import { createMask } from './core/mask.ts';
import { LANES } from './core/run.ts';
import { createChannels } from './delivery/channels.ts';
import { directoryOf } from './delivery/directory.ts';
import { relayLive } from './delivery/live-relay.ts';
import { createOutbox } from './delivery/outbox.ts';
import { createEngine } from './engine.ts';
import { createHttpServer, pairingRoutes, readOrCreateToken } from './http/index.ts';
import { openTogether } from './open-together.ts';
import { createOperationEnd } from './operation-end.ts';
import type { ChannelAdapter, ChannelHandlers } from './ports/channel.ts';
import type { Clock } from './ports/clock.ts';
import type { Ids } from './ports/ids.ts';
import type { Log } from './ports/log.ts';
import type { Models } from './ports/model.ts';
import { createReadiness } from './readiness.ts';
import { type Admission, createAdmit } from './runs/admit.ts';
import { createAnswerMissed } from './runs/answer-missed.ts';
import { createForgetting } from './runs/forget.ts';
import { createMissed } from './runs/missed.ts';
import { archiveDue } from './subagents/archive.ts';
import { createCardProgress } from './subagents/card-progress.ts';
import { createStop } from './subagents/stop.ts';
import { createThreadOpened } from './subagents/thread-opened.ts';
import { createUndelivered } from './subagents/undelivered.ts';
import { createSweeper } from './sweeper.ts';
import { expireBindings } from './threads/expire.ts';
import { createFocus } from './threads/focus.ts';
import { createThreadGone, threadArchived } from './threads/gone.ts';
import { createReplyThreads } from './threads/reply-thread.ts';
import { bindingViews } from './threads/views.ts';
import { createRunTool, type RunTool } from './tools/run-tool.ts';
import { createWatch } from './watch.ts';

/** At an orderly stop, how long replies may take to go out once their runs have ended. */
const LAST_WORDS_MS = 5_000;

export interface App {
  /** Resolves when the app is ready. `pageUrl` holds the access token: it is for the owner's eyes only. */
  start(): Promise<{ readonly url: string; readonly pageUrl: string }>;
  /** Takes nothing more in, lets runs finish for up to `graceMs`, and frees everything. Idempotent. */
  stop(graceMs?: number): Promise<void>;
  readonly runTool: RunTool;
  readonly pairings: Pairings;
}

/** Parts that a caller brings along instead of the usual ones. */
export interface AppParts {
  readonly clock?: Clock;
  readonly ids?: Ids;
  readonly log?: Log;
  readonly models?: Models;
  /** Given the stores that were opened; returns those that are used. */
  readonly stores?: (opened: SqliteStores) => SqliteStores;
  /** False: runs are left to worker processes. */
  readonly worksItself?: boolean;
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
  return openTogether(async (freeBy) => {
    const lock = acquireStateLock(join(config.home, 'gateway.lock'));
    const release = () => lock.release();
    freeBy(release);
    const token = config.http.token ?? (await readOrCreateToken(config.home, ids));
    const log = parts.log ?? processLog(config, token);
    const opened = await openSqliteStore({ ...config.store, clock, log });
    const stores = parts.stores?.(opened) ?? opened;
    freeBy(() => stores.close());
    const signals = await createSignals(config, clock, ids, log);
    freeBy(() => signals.close());
    const configured = parts.channels
      ? []
      : await configuredChannels(config, opened.adapterMemory, clock, log);
    return compose({ config, clock, ids, log, stores, signals, configured, token, release }, parts);
  });
}

interface Opened {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly stores: SqliteStores;
  readonly signals: Signals;
  /** Of chat platforms, apart from the web chat. */
  readonly configured: readonly ChannelAdapter[];
  readonly token: string;
  release(): void;
}

function compose(opened: Opened, parts: AppParts): App {
  const { config, clock, ids, log, stores, signals, configured, token, release } = opened;
  const settings = createSettings(config, availableParallelism());
  const owner = processOwner();
  const mask = createMask([...config.secrets, token]);
  const worksItself = parts.worksItself ?? true;
  const { store } = stores;
  const { queue, live } = signals;
  const { models, defaultModel } = rememberDefault(
    parts.models ?? configuredModels(config, clock, log),
    config,
  );

  const webchat = createWebchatAdapter({ store: stores.chat, clock, ids, log, agentName: botName(config) });
  const channels = createChannels(parts.channels ?? [webchat, ...configured]);
  const directory = directoryOf(channels.all);

  const engineParts = {
    store,
    queue,
    live,
    directory,
    settings,
    models,
    mask,
    owner,
    isOwnerAlive,
    clock,
    ids,
    log,
  };
  const engine = createEngine(engineParts);
  const { read, commit, settlement, spawn, toolbox, worker, recover } = engine;

  // Commands and admission.
  const startChecks = createStartChecks(config, log);
  const focus = createFocus({ directory, settings, clock });
  const stop = createStop({ settlement, clock });
  const replyThreads = createReplyThreads({ directory, settings, clock });
  /** Admission runs commands, and the one about missed messages admits them. */
  const admitMissed: Admission['admit'] = (tx, after, message) => admission.admit(tx, after, message);
  const answerMissed = createAnswerMissed({ admit: admitMissed, clock });
  const commands = createCommands({
    spawn,
    stop,
    focus,
    answerMissed,
    models,
    defaultModel,
    findings: startChecks.findings,
    directory,
    settings,
    clock,
    ids,
  });
  const admission: Admission = createAdmit({
    commit,
    read,
    directory,
    settings,
    commands,
    replyThreads,
    mask,
    ids,
    clock,
    log,
  });
  const threadGone = createThreadGone({ commit, settings, stop, clock });
  const missed = createMissed({ commit, read, admission, directory, settings, clock, log });
  const complete = createCompletion({ read, directory, settings, models, clock, specs: commands.specs });
  const handlersOf = ({ channel, account }: ChannelAdapter): ChannelHandlers => ({
    message: admission.receive,
    mayTalk: admission.mayTalk,
    threadGone,
    threadArchived: (address) => threadArchived(commit, address),
    cursors: () => missed.cursors(channel, account),
    missed: missed.missed,
    capabilitiesChanged: async () => {
      await rememberAccounts();
      startChecks.look(channel, account);
    },
    bindings: (conversation) => bindingViews(read, clock, conversation),
    commands: commands.specs as readonly Command[],
    complete,
  });

  // Out again.
  const spawnThread = createThreadOpened({ directory, settings, clock });
  const undelivered = createUndelivered({ directory, clock });
  const onEnd = createOperationEnd({ spawnThread, undelivered, focus, replyThreads, clock, log });
  const outbox = createOutbox({ commit, read, channels, live, onEnd, mask, owner, clock, log });
  const cardProgress = createCardProgress({ read, channels, mask, live, clock, log });
  const stopRelay = relayLive(live, channels, mask);

  const sweeper = createSweeper(
    [
      ...engine.sweeps(worksItself ? LANES : []),
      { name: 'bindings', run: () => expireBindings(read, commit, settings, clock) },
      { name: 'archive', run: () => archiveDue(read, commit, settings, clock) },
      { name: 'outbox', run: async () => outbox.sweep() },
      { name: 'old events', run: createForgetting({ commit, answerMissed, clock }) },
    ],
    clock,
    log,
  );

  const watch = createWatch(
    store,
    async () => {
      outbox.sweep();
      await worker.look();
      await cardProgress.refresh();
      if (worksItself) await engine.wakeClaimable(LANES);
    },
    clock,
    log,
  );

  const readiness = createReadiness(channels.all, signals.health);
  const runTool = createRunTool({ commit, read, toolbox, ids });
  const pairings = createPairings({ commit, read, clock });
  const http = createHttpServer({
    host: config.http.host,
    port: config.http.port,
    token,
    isTokenConfigured: config.http.token !== undefined,
    clock,
    log,
    readiness: readiness.look,
    runTool,
    routes: [webchat.routes, pairingRoutes(pairings)],
  });

  /** Written down for worker processes. */
  async function rememberAccounts(): Promise<void> {
    const served = channels.all.map(({ channel, account, capabilities }) => ({
      channel,
      account,
      capabilities,
    }));
    await commit((tx) => tx.accounts.replace(served));
  }

  async function start() {
    const { url } = await http.start();
    await signals.start();
    await rememberAccounts();
    const freed = await recover.freeDead();
    if (freed.runs + freed.operations > 0)
      log.info(freed, 'went on where an earlier process was interrupted');
    cardProgress.start();
    outbox.start();
    if (worksItself) {
      worker.start(LANES);
      await engine.wakeClaimable(LANES);
    }
    for (const adapter of channels.all) await adapter.start(handlersOf(adapter));
    watch.start();
    sweeper.start();
    readiness.isReady = true;
    log.debug({ owner }, 'this process in leases');
    log.info({ url }, 'ready');
    return { url, pageUrl: `${url}/?token=${token}` };
  }

  async function shutDown(graceMs: number): Promise<void> {
    readiness.isReady = false;
    await http.stop();
    await watch.stop();
    await sweeper.stop();
    await worker.stop(graceMs);
    await outbox.stop(Math.min(graceMs, LAST_WORDS_MS));
    for (const adapter of channels.all) await adapter.stop();
    cardProgress.stop();
    stopRelay();
    await signals.close();
    await stores.close();
    release();
  }

  let stopping: Promise<void> | undefined;
  return {
    async start() {
      try {
        return await start();
      } catch (thrown) {
        stopping ??= shutDown(0);
        await stopping;
        throw thrown;
      }
    },
    stop(graceMs = 0) {
      stopping ??= shutDown(graceMs);
      return stopping;
    },
    runTool,
    pairings,
  };
}

/** Who signs the bot's messages. */
function botName(config: Config): string {
  return agentEntry(config, MAIN_AGENT)?.name ?? 'Skein';
}
