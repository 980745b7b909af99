/**
 * The outbox: carries out the durable platform calls of the accounts that this process holds, in order for each place.
 *
 *   claim (attempt + 1) → [was begun before? look for it] → call → finish, together with what depends on it
 *
 * A failure that may pass is tried again for half an hour, holding back what comes after it in the same place; any other
 * ends the call at once, visibly, so that it holds up nobody.
 */

import type { AfterCommit, Commit } from '../commit.ts';
import { type Mask, maskedCard } from '../core/mask.ts';
import { AppError, asError } from '../errors.ts';
import type { ChannelAdapter, OutboundPart } from '../ports/channel.ts';
import { type Clock, sleep } from '../ports/clock.ts';
import type { Live } from '../ports/live.ts';
import type { Log } from '../ports/log.ts';
import type { Operation, OperationReceipt, StoreReads, StoreTx } from '../ports/store/index.ts';
import type { Channels } from './channels.ts';

/** What follows from a call that is over, in the transaction that says so. */
export type OnOperationEnd = (
  tx: StoreTx,
  after: AfterCommit,
  operation: Operation,
  end: { readonly kind: 'done'; readonly receipt: OperationReceipt } | { readonly kind: 'failed' },
) => Promise<void>;

export interface OutboxDeps {
  readonly commit: Commit;
  readonly read: StoreReads;
  readonly channels: Channels;
  readonly live: Live;
  readonly onEnd: OnOperationEnd;
  readonly mask: Mask;
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Log;
}

type Said = Pick<OutboundPart, 'text' | 'card' | 'replyTo' | 'file'>;

/** Calls under way at once for one account: many, since one that waits for the limit of its place keeps up no other place. */
const MAX_CONCURRENT = 50;
const GIVE_UP_AFTER_MS = 30 * 60_000;
const RETRY_BASE_MS = 1_000;
const RETRY_MAX_MS = 60_000;
/** How often the end of a call that could not be stored is offered again. */
const STORE_RETRY_MS = 1_000;

export interface Outbox {
  start(): void;
  /** Carries out whatever is due; called by the sweeper for what was put off. */
  sweep(): void;
  /** Goes on with what is due for up to `graceMs`; then begins nothing more and lets calls under way end. */
  stop(graceMs: number): Promise<void>;
}

export function createOutbox(deps: OutboxDeps): Outbox {
  const accounts = deps.channels.all.map((adapter) => createAccountOutbox(adapter, deps));
  let stopListening: (() => void) | undefined;
  return {
    start() {
      stopListening = deps.live.subscribe((event) => {
        if (event.type !== 'operations') return;
        for (const account of accounts) if (account.isFor(event)) account.pump();
      });
      for (const account of accounts) account.pump();
    },
    sweep() {
      for (const account of accounts) account.pump();
    },
    async stop(graceMs) {
      stopListening?.();
      await Promise.all(accounts.map((account) => account.stop(graceMs)));
    },
  };
}

function createAccountOutbox(adapter: ChannelAdapter, deps: OutboxDeps) {
  const { commit, read, onEnd, mask, owner, clock, log } = deps;
  const { channel, account } = adapter;
  const underWay = new Set<Promise<void>>();
  let claiming: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;
  const ending = new AbortController();

  /** Claims as long as there is room and something due. Asked again meanwhile, it looks once more. */
  async function claimLoop(): Promise<void> {
    do {
      isWanted = false;
      const limit = MAX_CONCURRENT - underWay.size;
      if (limit <= 0 || isStopped || !(await read.operations.hasDue(channel, account, clock.now()))) continue;
      const claimed = await commit((tx) =>
        tx.operations.claim({ channel, account, owner, now: clock.now(), limit }),
      );
      for (const operation of claimed) begin(operation);
      // Fewer than asked for: the rest waits for one of these, whose end looks again.
      if (claimed.length === limit) isWanted = true;
    } while (isWanted && !isStopped && underWay.size < MAX_CONCURRENT);
  }

  function begin(operation: Operation): void {
    const work = carryOut(operation).finally(() => {
      underWay.delete(work);
      pump();
    });
    underWay.add(work);
  }

  function pump(): void {
    isWanted = true;
    if (claiming || isStopped) return;
    claiming = claimLoop()
      .catch((thrown: unknown) => {
        log.error(
          { channel, account, error: asError(thrown).message },
          'the outbox could not claim; the sweeper will repeat it',
        );
      })
      .finally(() => {
        claiming = undefined;
        // Asked for between the loop's last look and now.
        if (isWanted && underWay.size < MAX_CONCURRENT) pump();
      });
  }

  async function carryOut(operation: Operation): Promise<void> {
    let receipt: OperationReceipt;
    try {
      receipt = await call(operation);
    } catch (thrown) {
      return putOffOrFail(operation, asError(thrown));
    }
    try {
      await stored(operation, async (tx, after) => {
        if (await tx.operations.finish(operation.id, operation.fence, receipt, clock.now())) {
          await onEnd(tx, after, operation, { kind: 'done', receipt });
        }
      });
    } catch (thrown) {
      await lookAgain(operation, asError(thrown));
    }
  }

  /** The call had its effect, and only that could not be stored: it is looked for again later, never taken for refused. */
  async function lookAgain(operation: Operation, { message }: Error): Promise<void> {
    log.error({ operation: operation.id, error: message }, 'the end of a platform call could not be stored');
    const what = { code: 'store-failed', message };
    try {
      await commit((tx) =>
        tx.operations.retry(operation.id, operation.fence, what, clock.now() + RETRY_MAX_MS),
      );
    } catch (thrown) {
      log.error({ operation: operation.id, error: asError(thrown).message }, 'nor could it be put off');
    }
  }

  /** What became of a call is this process's to store: as long as the disk is full it tries again, or nobody would. */
  async function stored(operation: Operation, fn: Parameters<Commit>[0]): Promise<void> {
    for (;;) {
      try {
        await commit(fn);
        return;
      } catch (thrown) {
        const isPassing =
          thrown instanceof AppError && thrown.code.startsWith('store-') && thrown.isRetryable;
        if (!isPassing || ending.signal.aborted) throw thrown;
        const { message: error } = thrown;
        log.error({ operation: operation.id, error }, 'the end of a platform call could not be stored yet');
        await sleep(clock, STORE_RETRY_MS, ending.signal);
      }
    }
  }

  async function putOffOrFail(operation: Operation, error: Error): Promise<void> {
    const now = clock.now();
    const code = error instanceof AppError ? error.code : 'channel-invalid';
    const isRetryable =
      error instanceof AppError && error.isRetryable && now - operation.createdAt < GIVE_UP_AFTER_MS;
    const hint = error instanceof AppError ? error.hint : undefined;
    const what = { code, message: error.message, ...(hint !== undefined && { hint }) };
    try {
      if (isRetryable) {
        log.warn(
          { operation: operation.id, attempt: operation.attempt, code, problem: error.message },
          'a platform call failed; it is tried again',
        );
        const backoffMs = Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** (operation.attempt - 1));
        const waitMs = Math.max(backoffMs, error instanceof AppError ? (error.retryAfterMs ?? 0) : 0);
        await stored(operation, (tx) =>
          tx.operations.retry(operation.id, operation.fence, what, now + waitMs),
        );
        return;
      }
      await stored(operation, async (tx, after) => {
        if (await tx.operations.fail(operation.id, operation.fence, what, now)) {
          await onEnd(tx, after, { ...operation, error: what }, { kind: 'failed' });
        }
      });
    } catch (thrown) {
      log.error(
        { operation: operation.id, error: asError(thrown).message },
        'the end of a platform call could not be stored',
      );
    }
  }

  async function call(operation: Operation): Promise<OperationReceipt> {
    const { address, call, purpose } = operation;
    switch (call.kind) {
      case 'send': {
        const replyOf = purpose.kind === 'reply' ? { replyOf: purpose.runId } : {};
        const part = { id: operation.id, address, madeAt: operation.createdAt, ...replyOf, ...said(call) };
        const found = operation.attempt > 1 ? await adapter.findSent(part) : undefined;
        return found ?? (await adapter.send(part));
      }
      case 'open-thread': {
        const { anchor } = call;
        const messageId = typeof anchor === 'string' ? await sentMessage(anchor) : anchor.messageId;
        return adapter.openThread({ address, messageId }, mask.text(call.title));
      }
      case 'edit': {
        const messageId = await sentMessage(call.target);
        await adapter.edit({ address, messageId }, { address, ...said(call) });
        return { messageId };
      }
    }
  }

  function said({ text, card, replyTo, file }: Said) {
    return {
      text: mask.text(text),
      ...(card && { card: maskedCard(card, mask) }),
      ...(replyTo !== undefined && { replyTo }),
      ...(file && { file: { name: file.name, text: mask.text(file.text) } }),
    };
  }

  async function sentMessage(id: Operation['id']): Promise<string> {
    const earlier = await read.operations.get(id);
    const messageId = earlier?.receipt?.messageId;
    if (messageId !== undefined) return messageId;
    const hint = earlier?.error?.hint;
    throw new AppError('channel-not-found', `the message of ${id} was never sent`, {
      ...(hint !== undefined && { hint }),
    });
  }

  return {
    isFor: (event: { channel: string; account: string }) =>
      event.channel === channel && event.account === account,
    pump,
    async stop(graceMs: number) {
      const end = () => {
        isStopped = true;
        ending.abort();
      };
      const cancel = clock.after(graceMs, end);
      if (graceMs <= 0) end();
      pump();
      // The end of a call looks whether the next part, or what depends on it, is due.
      while (claiming || underWay.size > 0) await Promise.all([claiming, ...underWay]);
      cancel();
      end();
    },
  };
}
