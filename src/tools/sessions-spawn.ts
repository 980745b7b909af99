/** `sessions_spawn`: hands a task to a subagent. Answers at once; the result comes later, by itself. */
import { z } from 'zod';
import { THINKING_LEVELS } from '../core/thinking.ts';
import { type RowsTool, toolError } from '../runs/tool.ts';
import type { SpawnSubagent } from '../subagents/spawn.ts';

/** Where a result goes is decided by where it was asked for; a caller that names a place has misunderstood that. */
const DELIVERY_PARAMETERS = ['target', 'channel', 'to', 'threadId', 'replyTo', 'transport'] as const;

/** A year: nobody waits longer, and far larger numbers do not fit where times are kept. */
const MAX_TIMEOUT_SECONDS = 31_536_000;

const schema = z
  .looseObject({
    task: z.string().describe('What the subagent is to do, complete in itself.'),
    label: z.string().max(100).optional().describe('A short name for people, e.g. "release notes".'),
    taskName: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,63}$/, 'lower-case letters, digits, "_" and "-", beginning with a letter')
      .refine((name) => name !== 'last' && name !== 'all', '"last" and "all" are reserved')
      .optional()
      .describe('A stable handle.'),
    agentId: z.string().optional().describe('Run it as another agent, if that is allowed.'),
    runtime: z.enum(['subagent', 'acp']).optional(),
    model: z.string().optional().describe('<provider>/<model> for this subagent.'),
    thinking: z.enum(THINKING_LEVELS).optional(),
    runTimeoutSeconds: z
      .number()
      .min(0)
      .max(MAX_TIMEOUT_SECONDS)
      .optional()
      .describe('Stop it after this long; 0 = no limit.'),
    thread: z.boolean().optional().describe('Give it a chat thread of its own, where people can talk to it.'),
    mode: z.enum(['run', 'session']).optional().describe('"run": one task. "session": stays in its thread.'),
    cleanup: z.enum(['keep', 'delete']).optional(),
    sandbox: z.enum(['inherit', 'require']).optional(),
    context: z
      .enum(['fork', 'isolated'])
      .optional()
      .describe('"fork": it knows this conversation so far. "isolated": it knows only its task.'),
    expectsCompletionMessage: z.boolean().optional().describe('false: you are not told how it ended.'),
  })
  .superRefine((value, context) => {
    if (value.task.trim() === '')
      context.addIssue({ code: 'custom', path: ['task'], message: 'must not be blank' });
    for (const name of DELIVERY_PARAMETERS) {
      if (!(name in value)) continue;
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'is not accepted: the result goes where it was asked for',
      });
    }
  });

type Args = z.infer<typeof schema>;

export function createSessionsSpawn(spawn: SpawnSubagent): RowsTool<Args> {
  return {
    name: 'sessions_spawn',
    description:
      'Start a subagent in the background. Returns at once with its run id; the result is handed to you when it ends. Use thread: true to give it a chat thread where people can talk to it.',
    schema,
    effect: 'rows',
    async call(args, caller, tx, after) {
      const refusal = refuseUnavailable(args);
      if (refusal) return refusal;
      const answer = await spawn(tx, after, caller, {
        task: args.task,
        thread: args.thread ?? false,
        cleanup: args.cleanup ?? 'keep',
        isAnnounced: args.expectsCompletionMessage ?? true,
        ...(args.label !== undefined && { label: args.label }),
        ...(args.taskName !== undefined && { taskName: args.taskName }),
        ...(args.agentId !== undefined && { agentId: args.agentId }),
        ...(args.model !== undefined && { model: args.model }),
        ...(args.thinking !== undefined && { thinking: args.thinking }),
        ...(args.runTimeoutSeconds !== undefined && { runTimeoutSeconds: args.runTimeoutSeconds }),
        ...(args.mode !== undefined && { mode: args.mode }),
        ...(args.context !== undefined && { context: args.context }),
      });
      return { result: answer, isError: answer.status !== 'accepted' };
    },
  };
}

function refuseUnavailable(args: Args) {
  if (args.runtime === 'acp') return toolError('ACP runtime backend is not configured', 'forbidden');
  if (args.sandbox === 'require') {
    return toolError(
      'sandbox "require": no sandbox is available, so the subagent would run without one',
      'forbidden',
    );
  }
  return undefined;
}
