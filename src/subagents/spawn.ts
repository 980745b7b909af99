/**
 * Spawning: one transaction that makes the child's session, its task, its run and, for a child with a thread, the calls
 * that open its place. The child does not run before that place exists (`thread-opened.ts`).
 */
import { createHash } from 'node:crypto';
import type { AfterCommit } from '../commit.ts';
import { type Address, parentAddress } from '../core/address.ts';
import { runId as asRunId, inputId, operationId, type RunId, type SessionKey } from '../core/ids.ts';
import type { Actor } from '../core/message.ts';
import { taskText } from '../core/prompt-blocks.ts';
import { redact } from '../core/redaction.ts';
import type { Delivery, Origin } from '../core/run.ts';
import { buildSessionKey, parseSessionKey } from '../core/session-key.ts';
import { labelOf } from '../core/session-label.ts';
import { decideSpawn, type SpawnFacts, type SpawnPlan } from '../core/spawn-policy.ts';
import { threadTitle } from '../core/title.ts';
import { type ChannelDirectory, canOpenThreads } from '../delivery/directory.ts';
import type { Clock } from '../ports/clock.ts';
import type { Models } from '../ports/model.ts';
import type { Settings } from '../ports/settings.ts';
import type { Cleanup, NewOperation, Session, StoreTx } from '../ports/store/index.ts';
import type { Caller } from '../runs/tool.ts';
import { cardOperation, cardText, placelessCard, presserOn } from './card.ts';
import { childrenOf, countActive } from './children.ts';

export interface Spawn {
  readonly task: string;
  readonly label?: string;
  readonly taskName?: string;
  readonly agentId?: string;
  readonly model?: string;
  readonly thinking?: string;
  /** 0 = no limit; absent = the agent's setting. */
  readonly runTimeoutSeconds?: number;
  readonly thread: boolean;
  readonly mode?: 'run' | 'session';
  readonly context?: 'fork' | 'isolated';
  readonly cleanup: Cleanup;
  /** False: the requester is not told how it ended. */
  readonly isAnnounced: boolean;
}

export type SpawnAnswer =
  | {
      readonly status: 'accepted';
      readonly runId: RunId;
      readonly childSessionKey: SessionKey;
      readonly context: 'fork' | 'isolated';
      readonly resolvedModel?: string;
      readonly note: string;
      readonly warnings?: readonly string[];
    }
  | { readonly status: 'forbidden' | 'error'; readonly error: string };

export interface SpawnDeps {
  readonly directory: ChannelDirectory;
  readonly settings: Settings;
  readonly models: Models;
  readonly clock: Clock;
}

export type SpawnSubagent = (
  tx: StoreTx,
  after: AfterCommit,
  caller: Caller,
  spawn: Spawn,
) => Promise<SpawnAnswer>;

/** Ids that follow from the call's own key, so that a call repeated after a crash makes nothing twice. */
function idsFor(key: string): { readonly run: RunId; readonly uuid: string } {
  const hex = createHash('sha256').update(`spawn\n${key}`).digest('hex');
  const uuid = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return { run: asRunId(`run_${hex.slice(32)}`), uuid: uuid.join('-') };
}

/** Where the requester's replies go now: that of its run, or the session's stored route. */
function placeOf(caller: Caller): Delivery {
  if (caller.run) return caller.run.origin.delivery;
  const { route } = caller.session;
  return route ? { kind: 'external', address: route } : { kind: 'internal' };
}

export function createSpawn(deps: SpawnDeps): SpawnSubagent {
  const { directory, settings, models, clock } = deps;

  async function factsFor(tx: StoreTx, caller: Caller, spawn: Spawn): Promise<SpawnFacts> {
    const { session } = caller;
    const limits = settings.subagents(session.agentId);
    const place = placeOf(caller);
    return {
      requester: {
        agentId: session.agentId,
        depth: session.depth,
        role: session.role,
        isArchived: session.archivedAt !== undefined,
        activeChildren: await countActive(tx, await childrenOf(tx, session)),
        contextTokens: session.contextTokens,
        ...(place.kind === 'external' && { place: placeFacts(place.address) }),
      },
      limits: { maxSpawnDepth: limits.maxSpawnDepth, maxChildren: limits.maxChildren },
      agents: settings.agents,
      allowedAgents: limits.allowedAgents,
      isModelKnown: spawn.model !== undefined && models.describe(spawn.model) !== undefined,
    };
  }

  function placeFacts(address: Address): NonNullable<SpawnFacts['requester']['place']> {
    const bindings = settings.bindings(address.channel, address.account);
    return {
      channel: address.channel,
      hasThreads: canOpenThreads(directory, address),
      bindingsEnabled: bindings.isEnabled,
      spawnsEnabled: bindings.canSpawn,
      defaultContext: bindings.defaultContext,
    };
  }

  return async (tx, after, caller, spawn) => {
    const ids = idsFor(caller.key);
    const decision = decideSpawn(spawn, await factsFor(tx, caller, spawn));
    if (decision.status !== 'accepted') return decision;
    const { plan } = decision;
    const now = clock.now();
    const child = await insertChild(tx, caller, spawn, plan, ids, now);
    const place = placeOf(caller);
    const opensThread = spawn.thread && place.kind === 'external';
    const origin: Origin = {
      delivery: { kind: 'internal' },
      actor: caller.actor,
      ...(spawn.isAnnounced && { announceTo: place }),
    };
    await insertRun(tx, caller, spawn, child, ids.run, origin, opensThread, now);
    if (opensThread) await openPlace(tx, after, child, spawn, ids.run, place.address, caller.actor, now);
    else after.wake('subagent', child.key);
    return {
      status: 'accepted',
      runId: ids.run,
      childSessionKey: child.key,
      context: plan.context,
      ...(plan.useModel && spawn.model !== undefined && { resolvedModel: spawn.model }),
      note: completionNote(spawn, plan),
      ...(plan.warnings.length > 0 && { warnings: plan.warnings }),
    };
  };

  async function insertChild(
    tx: StoreTx,
    caller: Caller,
    spawn: Spawn,
    plan: SpawnPlan,
    ids: { run: RunId; uuid: string },
    now: number,
  ): Promise<Session> {
    const requester = caller.session;
    const defaults = settings.subagents(plan.agentId);
    const model = plan.useModel ? spawn.model : (defaults.model ?? caller.run?.model ?? requester.model);
    const thinking = spawn.thinking ?? defaults.thinking ?? caller.run?.thinking ?? requester.thinking;
    const label = spawn.label?.trim();
    const child = await tx.sessions.ensure({
      key: childKey(requester.key, plan, ids.uuid),
      id: ids.uuid,
      kind: 'other',
      agentId: plan.agentId,
      depth: plan.depth,
      role: plan.role,
      mode: plan.mode,
      cleanup: spawn.cleanup,
      spawnedBy: requester.key,
      ordinal: await tx.sessions.nextOrdinal(requester.key),
      createdAt: now,
      ...(label && { label }),
      ...(spawn.taskName && { taskName: spawn.taskName }),
      ...(caller.run && { spawnedByRun: caller.run.id }),
      ...(model !== undefined && { model }),
      ...(thinking !== undefined && { thinking }),
    });
    if (plan.context === 'fork') await tx.entries.fork(requester.key, child.key, now);
    await tx.stateLog.append(
      {
        sessionKey: child.key,
        kind: 'created',
        actorType: 'agent',
        actorId: requester.key,
        runId: ids.run,
        summary: 'spawned as a subagent',
        payload: {},
      },
      now,
    );
    await tx.stateLog.append(
      {
        sessionKey: requester.key,
        kind: 'child_spawned',
        actorType: 'agent',
        actorId: requester.key,
        runId: ids.run,
        summary: `spawned ${labelOf(child)}`,
        payload: {},
      },
      now,
    );
    await tx.stateLog.watch(requester.key, child.key, now);
    return child;
  }

  async function insertRun(
    tx: StoreTx,
    caller: Caller,
    spawn: Spawn,
    child: Session,
    run: RunId,
    origin: Origin,
    opensThread: boolean,
    now: number,
  ): Promise<void> {
    const timeoutMs =
      spawn.runTimeoutSeconds === undefined
        ? settings.subagents(child.agentId).runTimeoutMs
        : Math.ceil(spawn.runTimeoutSeconds * 1_000);
    await tx.runs.insert(
      {
        id: run,
        sessionKey: child.key,
        lane: 'subagent',
        trigger: 'task',
        origin,
        ...(opensThread
          ? { status: 'waiting', waitingOn: { kind: 'operation', operation: threadOperation(run) } }
          : { status: 'queued' }),
        ...(timeoutMs > 0 && { remainingMs: timeoutMs }),
      },
      now,
    );
    await tx.inputs.insert(
      {
        id: inputId(`task:${run}`),
        sessionKey: child.key,
        runId: run,
        text: taskText(spawn.task),
        provenance: {
          kind: 'task',
          sourceSession: caller.session.key,
          ...(caller.run && { sourceRun: caller.run.id }),
        },
      },
      now,
    );
  }

  /** The card goes to the channel, and the thread is opened from it: repeating either call gives one thread. */
  async function openPlace(
    tx: StoreTx,
    after: AfterCommit,
    session: Session,
    spawn: Spawn,
    run: RunId,
    origin: Address,
    actor: Actor | undefined,
    now: number,
  ): Promise<void> {
    const address = parentAddress(origin);
    const maxLength = directory.capabilities(address)!.maxTitleLength;
    const presser = presserOn(address, actor);
    const title = threadTitle(spawn.label, spawn.task, maxLength, redact);
    const buttons = {
      ...(presser !== undefined && { presser }),
      ...(origin.thread !== undefined && { askedIn: origin.thread }),
    };
    const card = { ...placelessCard(run, session, 'opening', buttons), title };
    const calls: NewOperation[] = [
      {
        id: cardOperation(run),
        address,
        call: { kind: 'send', text: cardText(card), card },
        purpose: { kind: 'card', runId: run },
      },
      {
        id: threadOperation(run),
        address,
        call: { kind: 'open-thread', anchor: cardOperation(run), title },
        purpose: { kind: 'spawn-thread', runId: run },
      },
    ];
    await tx.operations.insert(calls, now);
    after.publish({ type: 'operations', channel: address.channel, account: address.account });
  }
}

const threadOperation = (run: RunId) => operationId(`thread:${run}`);

function childKey(requester: SessionKey, plan: SpawnPlan, uuid: string): SessionKey {
  const parsed = parseSessionKey(requester);
  const above = parsed?.kind === 'subagent' ? parsed.path : [];
  return buildSessionKey({ kind: 'subagent', agentId: plan.agentId, path: [...above, uuid] });
}

/** What the requester is told about how the result will come back; the child's prompt says the same. */
function completionNote(spawn: Spawn, plan: SpawnPlan): string {
  const inThread = spawn.thread
    ? 'A thread is being opened for it, where it answers; you are told if it cannot be had, so do not say that it is open.'
    : '';
  if (!spawn.isAnnounced) return `${inThread} You will not be told when it ends.`.trim();
  if (spawn.thread && plan.mode === 'session') {
    return `${inThread} You will see its first result; it needs no announcement from you.`;
  }
  return `${inThread} Its result comes to you as a message when it ends; do not wait or poll.`.trim();
}
