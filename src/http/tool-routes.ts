/**
 * `POST /api/tools/<name>`: an agent tool, run as a session and under its policy. What the tool itself answers, refusals
 * included, is a 200.
 */
import { Hono } from 'hono';
import { z } from 'zod';
import { AppError } from '../errors.ts';
import { refuse } from './reply.ts';

export type ToolCallOutcome =
  | { readonly status: 'ok'; readonly result: unknown }
  | { readonly status: 'unknown-tool' }
  | { readonly status: 'unknown-session' };

export type RunTool = (
  name: string,
  session: string,
  args: Readonly<Record<string, unknown>>,
) => Promise<ToolCallOutcome>;

const Body = z.strictObject({
  session: z.string().min(1),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

const EXPECTED = 'Expected { "session": "<session key>", "arguments": { … } }.';

export function toolRoutes(runTool: RunTool): Hono {
  const routes = new Hono();
  routes.post('/api/tools/:name', async (c) => {
    const name = c.req.param('name');
    const body = readBody(await c.req.text());
    const outcome = await runTool(name, body.session, body.arguments);
    switch (outcome.status) {
      case 'ok':
        return c.json((outcome.result ?? null) as never);
      case 'unknown-tool':
        return refuse(c, 404, 'unknown_tool', `There is no tool named "${name}".`);
      case 'unknown-session':
        return refuse(c, 404, 'unknown_session', `There is no session "${body.session}".`);
    }
  });
  return routes;
}

function readBody(text: string): z.infer<typeof Body> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new AppError('bad-request', `The body is not JSON. ${EXPECTED}`, { cause });
  }
  const result = Body.safeParse(parsed);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const where = issue.path.length > 0 ? `"${issue.path.join('.')}": ` : '';
  throw new AppError('bad-request', `${where}${issue.message}. ${EXPECTED}`);
}
