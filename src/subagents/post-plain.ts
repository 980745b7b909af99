/** Results in the runtime's own words, for when nobody's model can put them into others. */
import type { AfterCommit } from '../commit.ts';
import { normalisedText } from '../core/announce.ts';
import { operationId, type RunId } from '../core/ids.ts';
import { redact } from '../core/redaction.ts';
import type { Delivery } from '../core/run.ts';
import type { ChannelDirectory } from '../delivery/directory.ts';
import { messageParts } from '../delivery/message-parts.ts';
import type { NewOperation, StoreTx } from '../ports/store/index.ts';
import type { Completed } from './completed.ts';

/** Says results where they were asked for. `key` names this post for good. */
export async function postPlain(
  tx: StoreTx,
  after: AfterCommit,
  directory: ChannelDirectory,
  completed: readonly Completed[],
  runs: readonly RunId[],
  delivery: Delivery,
  key: string,
  now: number,
): Promise<void> {
  if (delivery.kind === 'internal') {
    return moveAll(tx, runs, { status: 'undelivered', reason: 'no place to say it and nobody to tell' }, now);
  }
  const { address } = delivery;
  const text = redact(completed.map(normalisedText).join('\n\n'));
  const parts = messageParts(directory, address, text);
  const operations = parts.map(
    (part, i): NewOperation => ({
      id: operationId(`announce:${key}:${i}`),
      address,
      call: { kind: 'send', ...part },
      purpose: { kind: 'announce', announces: i === parts.length - 1 ? runs : [] },
    }),
  );
  await tx.operations.insert(operations, now);
  await moveAll(tx, runs, { status: 'delivering', operation: operations.at(-1)!.id }, now);
  after.publish({ type: 'operations', channel: address.channel, account: address.account });
}

/** What became of announces that had been handed over. */
export async function moveAll(
  tx: StoreTx,
  runs: readonly RunId[],
  to: Parameters<StoreTx['announces']['move']>[2],
  now: number,
): Promise<void> {
  for (const run of runs) await tx.announces.move(run, ['handed'], to, now);
}
