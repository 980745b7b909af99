/**
 * May this subagent be spawned, and as what? One pure decision for every way of spawning (tool, command, later runtimes):
 * a plan, or a refusal that says what to do instead.
 */
import { isAgentId } from './session-key.ts';

export interface SpawnRequest {
  readonly task: string;
  readonly agentId?: string;
  readonly model?: string;
  readonly thread: boolean;
  readonly mode?: 'run' | 'session';
  readonly context?: 'fork' | 'isolated';
}

export interface SpawnFacts {
  readonly requester: {
    readonly agentId: string;
    readonly depth: number;
    readonly role: 'main' | 'orchestrator' | 'leaf';
    readonly isArchived: boolean;
    readonly activeChildren: number;
    /** Whether the requester has a place on a platform, and what that platform can do. */
    readonly place?: {
      readonly channel: string;
      readonly hasThreads: boolean;
      readonly bindingsEnabled: boolean;
      readonly spawnsEnabled: boolean;
      readonly defaultContext: 'fork' | 'isolated';
    };
    /** Tokens in the requester's context. */
    readonly contextTokens: number;
  };
  readonly limits: { readonly maxSpawnDepth: number; readonly maxChildren: number };
  /** Configured agents, and those that the requester may target. */
  readonly agents: readonly string[];
  readonly allowedAgents: readonly string[];
  readonly isModelKnown: boolean;
}

export interface SpawnPlan {
  readonly agentId: string;
  readonly mode: 'run' | 'session';
  readonly context: 'fork' | 'isolated';
  readonly depth: number;
  readonly role: 'orchestrator' | 'leaf';
  readonly useModel: boolean;
  readonly warnings: readonly string[];
}

export type SpawnDecision =
  | { readonly status: 'accepted'; readonly plan: SpawnPlan }
  | { readonly status: 'forbidden' | 'error'; readonly error: string };

const MAX_FORK_TOKENS = 100_000;

export function decideSpawn(request: SpawnRequest, facts: SpawnFacts): SpawnDecision {
  const { requester, limits } = facts;
  const refusal = refuseRequester(facts) ?? refuseAgent(request, facts) ?? refusePlace(request, facts);
  if (refusal) return refusal;
  const agentId = (request.agentId ?? requester.agentId).toLowerCase();
  const warnings: string[] = [];
  const useModel = request.model !== undefined && facts.isModelKnown;
  if (request.model !== undefined && !useModel) {
    warnings.push(`model "${request.model}" is not available; the default model is used`);
  }
  const wanted =
    request.context ?? (request.thread ? (requester.place?.defaultContext ?? 'fork') : 'isolated');
  if (request.context === 'fork' && agentId !== requester.agentId) {
    return {
      status: 'error',
      error: 'context "fork" needs the same agent; use context "isolated" for another one',
    };
  }
  let context = agentId === requester.agentId ? wanted : 'isolated';
  if (context === 'fork' && requester.contextTokens > MAX_FORK_TOKENS) {
    context = 'isolated';
    warnings.push(
      `the conversation is longer than ${MAX_FORK_TOKENS} tokens; the subagent starts without it`,
    );
  }
  const depth = requester.depth + 1;
  return {
    status: 'accepted',
    plan: {
      agentId,
      mode: request.mode ?? (request.thread ? 'session' : 'run'),
      context,
      depth,
      role: depth < limits.maxSpawnDepth ? 'orchestrator' : 'leaf',
      useModel,
      warnings,
    },
  };
}

function refuseRequester({ requester, limits }: SpawnFacts): SpawnDecision | undefined {
  if (requester.isArchived)
    return { status: 'forbidden', error: 'this session is archived and cannot spawn' };
  if (requester.role === 'leaf' || requester.depth >= limits.maxSpawnDepth) {
    return {
      status: 'forbidden',
      error: `this session is at depth ${requester.depth}; the limit is ${limits.maxSpawnDepth} (agents.defaults.subagents.maxSpawnDepth)`,
    };
  }
  if (requester.activeChildren >= limits.maxChildren) {
    return {
      status: 'forbidden',
      error: `${requester.activeChildren} subagents are active; the limit is ${limits.maxChildren} (agents.defaults.subagents.maxChildrenPerAgent). Wait for one to end or stop one`,
    };
  }
  return undefined;
}

function refuseAgent(request: SpawnRequest, facts: SpawnFacts): SpawnDecision | undefined {
  if (request.agentId === undefined) return undefined;
  const agentId = request.agentId.toLowerCase();
  const valid = facts.allowedAgents.join(', ');
  if (!isAgentId(agentId) || !facts.agents.includes(agentId)) {
    return {
      status: 'error',
      error: `there is no agent "${request.agentId}"; this session may spawn: ${valid}`,
    };
  }
  if (!facts.allowedAgents.includes(agentId)) {
    return {
      status: 'forbidden',
      error: `agent "${agentId}" may not be spawned from here (agents.list[].subagents.allowAgents); allowed: ${valid}`,
    };
  }
  return undefined;
}

function refusePlace(request: SpawnRequest, { requester }: SpawnFacts): SpawnDecision | undefined {
  if (request.mode === 'session' && !request.thread) {
    return {
      status: 'error',
      error: 'mode "session" needs thread: true; use mode "run" for a task without a thread',
    };
  }
  if (!request.thread) return undefined;
  const { place } = requester;
  if (!place?.hasThreads) {
    return {
      status: 'error',
      error: 'there is no place here to open a thread; use thread: false (mode "run")',
    };
  }
  if (!place.bindingsEnabled) {
    return {
      status: 'forbidden',
      error: 'thread bindings are switched off (session.threadBindings.enabled); use mode "run"',
    };
  }
  if (!place.spawnsEnabled) {
    return {
      status: 'forbidden',
      error: `spawning into threads is switched off (channels.${place.channel}.threadBindings.spawnSubagentSessions); use mode "run"`,
    };
  }
  return undefined;
}
