/** The explicit list of tools, and which of them a session is offered. */
import { z } from 'zod';
import { isToolAllowed } from '../core/tool-policy.ts';
import type { Settings } from '../ports/settings.ts';
import type { OfferedTool, Tool, Toolbox } from '../runs/tool.ts';

export function createToolbox(tools: readonly Tool[], settings: Settings): Toolbox {
  const offered = tools.map(
    (tool): OfferedTool => ({
      tool,
      forModel: { name: tool.name, description: tool.description, parameters: parametersOf(tool) },
    }),
  );
  const byName = new Map(offered.map((entry) => [entry.tool.name, entry]));
  const isAllowed: Toolbox['isAllowed'] = (name, session) =>
    isToolAllowed(name, session, settings.toolRules(session.agentId));
  return {
    get: (name) => byName.get(name),
    offeredTo: (session) => offered.filter((entry) => isAllowed(entry.tool.name, session)),
    isAllowed,
  };
}

/** JSON Schema of the arguments, without what strict providers stumble over. */
function parametersOf(tool: Tool): Record<string, unknown> {
  const {
    $schema: _dialect,
    additionalProperties: _open,
    ...schema
  } = z.toJSONSchema(tool.schema, { io: 'input' });
  return schema;
}
