/**
 * Runs a tool for a person, as a given session and under that session's policy, outside of any run. What the tool starts
 * reports on the session's stored route.
 */

import type { Commit } from '../commit.ts';
import type { SessionKey } from '../core/ids.ts';
import type { Actor } from '../core/message.ts';
import type { Ids } from '../ports/ids.ts';
import type { Session, StoreReads } from '../ports/store/index.ts';
import { type Caller, type Tool, type ToolAnswer, type Toolbox, toolError } from '../runs/tool.ts';

export type ToolRunResult =
  | { readonly status: 'ok'; readonly result: unknown }
  | { readonly status: 'unknown-tool' }
  | { readonly status: 'unknown-session' };

const OWNER: Actor = { channel: 'webchat', id: 'owner', name: 'owner', role: 'owner' };

export type RunTool = (name: string, session: string, args: unknown) => Promise<ToolRunResult>;

export function createRunTool(deps: {
  commit: Commit;
  read: StoreReads;
  toolbox: Toolbox;
  ids: Ids;
}): RunTool {
  const { commit, read, toolbox, ids } = deps;

  async function find(key: string): Promise<Session | undefined> {
    return (await read.sessions.get(key as SessionKey)) ?? (await read.sessions.getById(key));
  }

  function call(tool: Tool, args: unknown, caller: Caller): Promise<ToolAnswer> {
    if (tool.effect !== 'rows') return tool.call(args, caller, new AbortController().signal);
    return commit((tx, after) => tool.call(args, caller, tx, after));
  }

  return async (name, key, args) => {
    const offered = toolbox.get(name);
    if (!offered) return { status: 'unknown-tool' };
    const session = await find(key);
    if (!session) return { status: 'unknown-session' };
    if (!toolbox.isAllowed(name, session)) {
      return {
        status: 'ok',
        result: toolError(`tool "${name}" is not allowed in this session`, 'forbidden').result,
      };
    }
    const parsed = offered.tool.schema.safeParse(args);
    if (!parsed.success) {
      const problems = parsed.error.issues.map(
        (issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`,
      );
      return { status: 'ok', result: toolError(`invalid arguments: ${problems.join('; ')}`).result };
    }
    const answer = await call(offered.tool, parsed.data, { session, actor: OWNER, key: `api:${ids.uuid()}` });
    return { status: 'ok', result: answer.result };
  };
}
