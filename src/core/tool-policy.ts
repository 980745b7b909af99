/**
 * Which tools a session may use. A tool that is not allowed is neither offered to the model nor carried out when called
 * all the same. The session's stored role decides; its key grants nothing.
 */
export interface ToolRules {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Rules for sessions that were spawned. */
  readonly subagents: { readonly allow?: readonly string[]; readonly deny: readonly string[] };
}

/** What `group:sessions` begins with: tools that act on sessions of our own. */
export const ORCHESTRATION_TOOLS = [
  'sessions',
  'sessions_list',
  'sessions_history',
  'sessions_search',
  'sessions_send',
  'sessions_spawn',
  'sessions_yield',
  'session_status',
  'subagents',
] as const;

/** Session and system tools that a subagent does not get, unless its role gives them back; so are `conversations_*`. */
const SESSION_TOOLS: readonly string[] = [...ORCHESTRATION_TOOLS, 'agents_list', 'gateway', 'cron'];

const ORCHESTRATOR_TOOLS: readonly string[] = [
  'sessions_spawn',
  'sessions_yield',
  'subagents',
  'sessions_list',
  'sessions_history',
];

export function isToolAllowed(
  tool: string,
  session: { readonly role: 'main' | 'orchestrator' | 'leaf' },
  rules: ToolRules,
): boolean {
  if (rules.deny?.includes(tool)) return false;
  if (rules.allow && !rules.allow.includes(tool)) return false;
  if (session.role === 'main') return true;
  if (rules.subagents.deny.includes(tool)) return false;
  const isSpawn = tool === 'sessions_spawn';
  if (rules.subagents.allow) {
    return rules.subagents.allow.includes(tool) && !(isSpawn && session.role === 'leaf');
  }
  if (!isSessionTool(tool)) return true;
  return session.role === 'orchestrator' && ORCHESTRATOR_TOOLS.includes(tool);
}

function isSessionTool(tool: string): boolean {
  return tool.startsWith('conversations_') || SESSION_TOOLS.includes(tool);
}
