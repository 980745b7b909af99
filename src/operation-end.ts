/**
 * What the end of a platform call means to the rest: an announcement has been delivered or not, a place exists or cannot be
 * had. One case for each purpose, in the transaction that ends the call.
 */
import type { AfterCommit } from './commit.ts';
import type { RunId } from './core/ids.ts';
import { labelOf } from './core/session-label.ts';
import type { OnOperationEnd } from './delivery/outbox.ts';
import type { Clock } from './ports/clock.ts';
import type { Log } from './ports/log.ts';
import type { Operation, StoreTx } from './ports/store/index.ts';
import type { createThreadOpened } from './subagents/thread-opened.ts';
import type { createUndelivered } from './subagents/undelivered.ts';
import { touchBinding } from './threads/bind.ts';
import type { Focus } from './threads/focus.ts';
import type { ReplyThreads } from './threads/reply-thread.ts';

export function createOperationEnd(deps: {
  spawnThread: ReturnType<typeof createThreadOpened>;
  undelivered: ReturnType<typeof createUndelivered>;
  focus: Focus;
  replyThreads: ReplyThreads;
  clock: Clock;
  log: Log;
}): OnOperationEnd {
  const { spawnThread, undelivered, focus, replyThreads, clock, log } = deps;

  /** A reply in a bound thread is activity, as a message there is. */
  async function spoke(tx: StoreTx, after: AfterCommit, { address }: Operation, runId: RunId): Promise<void> {
    if (address.thread === undefined) return;
    const binding = await tx.bindings.live(address);
    const run = binding && (await tx.runs.get(runId));
    if (run?.sessionKey === binding?.sessionKey && binding)
      await touchBinding(tx, after, binding, clock.now());
  }

  async function announced(tx: StoreTx, runs: readonly RunId[], isDelivered: boolean): Promise<void> {
    const to = isDelivered
      ? ({ status: 'delivered' } as const)
      : ({ status: 'undelivered', reason: 'the platform refused it' } as const);
    for (const run of runs) await tx.announces.move(run, ['handed', 'delivering'], to, clock.now());
  }

  /** What it builds on was given up before, and that has been logged. */
  async function isLeftOver(tx: StoreTx, { call }: Operation): Promise<boolean> {
    const earlier =
      call.kind === 'open-thread' ? call.anchor : call.kind === 'edit' ? call.target : undefined;
    return typeof earlier === 'string' && (await tx.operations.get(earlier))?.status === 'failed';
  }

  /** A platform may refuse what it likes; a call that it cannot even read is a fault of ours. */
  function logGivenUp({ id, purpose, attempt, error }: Operation): void {
    const { code, message: problem, hint } = error ?? { code: 'unknown', message: '' };
    const fields = { operation: id, purpose: purpose.kind, attempt, code, problem, ...(hint && { hint }) };
    log[code === 'channel-invalid' ? 'error' : 'warn'](fields, 'a platform call was given up');
  }

  return async (tx, after, operation, end) => {
    const { purpose } = operation;
    if (end.kind === 'failed' && !(await isLeftOver(tx, operation))) logGivenUp(operation);
    switch (purpose.kind) {
      case 'reply':
        if (end.kind === 'failed') await undelivered(tx, after, operation, purpose.runId);
        else await spoke(tx, after, operation, purpose.runId);
        return announced(tx, purpose.announces, end.kind === 'done');
      case 'announce':
        return announced(tx, purpose.announces, end.kind === 'done');
      case 'spawn-thread':
        return end.kind === 'done'
          ? spawnThread.opened(tx, after, operation, purpose.runId, end.receipt.thread!)
          : spawnThread.failed(tx, after, operation, purpose.runId);
      case 'reply-thread':
        return end.kind === 'done'
          ? replyThreads.opened(tx, after, operation, purpose.runId, end.receipt.thread!)
          : replyThreads.failed(tx, after, operation, purpose.runId);
      case 'focus-thread': {
        const session = await tx.sessions.get(purpose.sessionKey);
        const label = session ? labelOf(session) : '';
        if (end.kind === 'failed') return focus.failed(tx, after, operation, label);
        return focus.opened(tx, after, operation, purpose, label, end.receipt.thread!);
      }
      case 'notice':
      case 'card':
        return;
    }
  };
}
