/** Which tools an agent may use, as the configuration says it: the global rules, narrowed by the agent's own. Pure. */
import { ORCHESTRATION_TOOLS, type ToolRules } from '../core/tool-policy.ts';
import { agentEntry } from './agents.ts';
import type { Config } from './load.ts';

/** Every tool that acts on sessions. */
const SESSION_GROUP = [
  ...ORCHESTRATION_TOOLS,
  'conversations_list',
  'conversations_send',
  'conversations_turn',
  'spawn_task',
  'dismiss_task',
] as const;

/** A tool must be allowed on every level that has an allow list, and denied on none. */
export function toolRules(config: Pick<Config, 'agents' | 'tools'>, agentId: string): ToolRules {
  const own = agentEntry(config, agentId)?.tools;
  const allow = both(expanded(config.tools.allow), expanded(own?.allow));
  const deny = [...(expanded(config.tools.deny) ?? []), ...(expanded(own?.deny) ?? [])];
  const subagentAllow = expanded(config.tools.subagents.tools.allow);
  return {
    ...(allow !== undefined && { allow }),
    deny,
    subagents: {
      ...(subagentAllow !== undefined && { allow: subagentAllow }),
      deny: expanded(config.tools.subagents.tools.deny) ?? [],
    },
  };
}

function expanded(names: readonly string[] | undefined): readonly string[] | undefined {
  return names?.flatMap((name) => (name === 'group:sessions' ? SESSION_GROUP : [name]));
}

function both(
  first: readonly string[] | undefined,
  second: readonly string[] | undefined,
): readonly string[] | undefined {
  return first && second ? first.filter((name) => second.includes(name)) : (first ?? second);
}
