/**
 * What the configuration says of one agent: its own entry over the defaults, key by key. The agent `main` always
 * exists; an entry with that id changes it, other entries add agents. Pure.
 */
import type { Lane } from '../core/run.ts';
import type { SubagentSettings } from '../ports/settings.ts';
import type { Config } from './load.ts';

/** Answers where nothing else is said, and lends its credentials to the others. */
export const MAIN_AGENT = 'main';

type AgentsSection = Pick<Config, 'agents'>;
type AgentEntry = Config['agents']['list'][number];

/** `main` first, then the others in the order of the file. */
export function agentIds({ agents }: AgentsSection): readonly string[] {
  return [MAIN_AGENT, ...agents.list.map(({ id }) => id).filter((id) => id !== MAIN_AGENT)];
}

/** The agent's entry; `undefined` for `main` without one, and for ids that are not configured. */
export function agentEntry({ agents }: AgentsSection, agentId: string): AgentEntry | undefined {
  return agents.list.find(({ id }) => id === agentId);
}

export interface ModelChoice {
  /** `<provider>/<model>`. */
  readonly primary: string;
  /** Tried in order when the one before failed. */
  readonly fallbacks: readonly string[];
}

/** `undefined`: nothing is said, so the gateway's default model answers. */
export function agentModel(config: AgentsSection, agentId: string): ModelChoice | undefined {
  return agentEntry(config, agentId)?.model ?? config.agents.defaults.model;
}

/** `undefined`: the model's own default. */
export function agentThinking(config: AgentsSection, agentId: string): string | undefined {
  return agentEntry(config, agentId)?.thinking ?? config.agents.defaults.thinking;
}

/** Settings for what `agentId` spawns, and for `agentId` when it is spawned. */
export function subagentSettings(config: AgentsSection, agentId: string): SubagentSettings {
  const merged = { ...config.agents.defaults.subagents, ...agentEntry(config, agentId)?.subagents };
  return {
    ...(merged.model !== undefined && { model: merged.model }),
    ...(merged.thinking !== undefined && { thinking: merged.thinking }),
    allowedAgents: allowedAgents(config, agentId, merged.allowAgents ?? []),
    runTimeoutMs: merged.runTimeoutSeconds * 1_000,
    maxSpawnDepth: merged.maxSpawnDepth,
    maxChildren: merged.maxChildrenPerAgent,
    archiveAfterMs: merged.archiveAfterMinutes * 60_000,
  };
}

/** An agent may always spawn itself; names of agents that do not exist (any more) are left out. */
function allowedAgents(config: AgentsSection, agentId: string, listed: readonly string[]): readonly string[] {
  return agentIds(config).filter((id) => id === agentId || listed.includes('*') || listed.includes(id));
}

/** How many runs may be at work at once in each lane. */
export function laneCaps({ agents }: AgentsSection, processors: number): Readonly<Record<Lane, number>> {
  return {
    main: agents.defaults.maxConcurrent ?? Math.max(8, 4 * processors),
    subagent: agents.defaults.subagents.maxConcurrent,
  };
}
