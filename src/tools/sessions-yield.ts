/**
 * `sessions_yield`: ends the turn until subagents have reported. The run gives up its place in the lane meanwhile, so that
 * waiting never keeps anybody from working.
 */
import { z } from 'zod';
import type { AfterCommit } from '../commit.ts';
import { inputId, operationId, type RunId } from '../core/ids.ts';
import { noticeText } from '../core/prompt-blocks.ts';
import type { Clock } from '../ports/clock.ts';
import type { Run, StoreTx } from '../ports/store/index.ts';
import { activeChildren } from '../runs/settle.ts';
import { type Caller, type RowsTool, toolError } from '../runs/tool.ts';

const NAME = 'sessions_yield';

const schema = z.object({
  message: z.string().optional().describe('A note to yourself for when the turn goes on.'),
  acknowledgment: z.string().optional().describe('Shown to the person while you wait.'),
  until: z
    .enum(['all', 'any'])
    .optional()
    .describe('Go on when all subagents have reported (default), or any.'),
});

type Args = z.infer<typeof schema>;

export function createSessionsYield(clock: Clock): RowsTool<Args> {
  return {
    name: NAME,
    description:
      'End your turn and wait for subagents that you started; their results arrive as the next message. Only when your answer needs them.',
    schema,
    effect: 'rows',
    async call(args, caller, tx, after) {
      const { run, session } = caller;
      if (!run) return toolError('there is no turn to end: this is not called from a run');
      const taken = await takeWaitingCompletions(tx, run);
      const children = await activeChildren(tx, session);
      if (children.length === 0 && taken === 0) {
        return toolError('there is nothing to wait for: no subagent of this session is at work');
      }
      const pending = children.map((child) => child.id);
      const isRepeated = await wasAwaited(tx, run, pending);
      await leaveNotes(tx, after, caller, args, run, clock.now());
      const until = args.until ?? 'all';
      const isReady = pending.length === 0 || (until === 'any' && taken > 0);
      return {
        result: { status: isRepeated ? 'already_pending' : 'yielded', pending },
        endsTurn: true,
        ...(!isReady && { wait: { kind: 'children', runs: pending, until } }),
      };
    },
  };
}

/** Results that came in during this very turn would begin a turn of their own; the one that waits takes them in. */
async function takeWaitingCompletions(tx: StoreTx, run: Run): Promise<number> {
  let taken = 0;
  for (const queued of await tx.runs.active(run.sessionKey)) {
    if (queued.status !== 'queued' || queued.trigger !== 'completion') continue;
    const inputs = await tx.inputs.pending(queued.id);
    await tx.inputs.assign(
      inputs.map((input) => input.id),
      run.id as RunId,
    );
    await tx.runs.remove(queued.id);
    taken += inputs.length;
  }
  return taken;
}

/** How far back an earlier yield is looked for. */
const AWAITED_WITHIN_ENTRIES = 100;

/** Whether an earlier turn has waited for all of them already. */
async function wasAwaited(tx: StoreTx, run: Run, pending: readonly RunId[]): Promise<boolean> {
  const tail = await tx.entries.tail(run.sessionKey, AWAITED_WITHIN_ENTRIES);
  const awaited = tail.flatMap(({ content }) => {
    if (content.role !== 'toolResult' || content.toolName !== NAME) return [];
    return (content.result as { readonly pending?: readonly string[] }).pending ?? [];
  });
  return pending.length > 0 && pending.every((id) => awaited.includes(id));
}

async function leaveNotes(
  tx: StoreTx,
  after: AfterCommit,
  caller: Caller,
  args: Args,
  run: Run,
  now: number,
): Promise<void> {
  if (args.message !== undefined) {
    await tx.inputs.insert(
      {
        id: inputId(`yield:${caller.key}`),
        sessionKey: run.sessionKey,
        text: noticeText(`Your note before you waited: ${args.message}`),
        provenance: { kind: 'runtime' },
      },
      now,
    );
  }
  const { delivery } = run.origin;
  if (args.acknowledgment === undefined || delivery.kind !== 'external') return;
  await tx.operations.insert(
    [
      {
        id: operationId(`ack:${caller.key}`),
        address: delivery.address,
        call: { kind: 'send', text: args.acknowledgment },
        purpose: { kind: 'notice' },
      },
    ],
    now,
  );
  after.publish({ type: 'operations', channel: delivery.address.channel, account: delivery.address.account });
}
