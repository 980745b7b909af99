/** The reply of a run as platform calls: its parts in order, the first one as an answer to the message that it is about. */
import { type Address, placeKey } from '../core/address.ts';
import { type OperationId, operationId, type RunId } from '../core/ids.ts';
import type { ChannelDirectory } from '../delivery/directory.ts';
import { messageParts } from '../delivery/message-parts.ts';
import type { Input, NewOperation } from '../ports/store/index.ts';

export interface Reply {
  readonly run: RunId;
  readonly address: Address;
  readonly words: string;
  /** What the run has taken in. */
  readonly inputs: readonly Input[];
  /** Runs of subagents whose results it tells. */
  readonly completions: readonly RunId[];
}

/** The call that says part `index` (from 0) of a run's reply. */
export const replyPart = (run: RunId, index: number): OperationId => operationId(`reply:${run}:${index}`);

export function replyOperations(directory: ChannelDirectory, reply: Reply): NewOperation[] {
  const { run, address, words, inputs, completions } = reply;
  const answered = answeredMessage(inputs, address);
  const parts = messageParts(directory, address, words);
  return parts.map(
    (part, i): NewOperation => ({
      id: replyPart(run, i),
      address,
      call: { kind: 'send', ...part, ...(i === 0 && answered !== undefined && { replyTo: answered }) },
      purpose: { kind: 'reply', runId: run, announces: i === parts.length - 1 ? completions : [] },
    }),
  );
}

/** The newest message of a person that was written where the reply goes. */
function answeredMessage(inputs: readonly Input[], address: Address): string | undefined {
  const place = placeKey(address);
  return inputs.findLast(
    ({ provenance, consumedAt }) =>
      provenance.kind === 'user' && provenance.place === place && consumedAt !== undefined,
  )?.provenance.eventId;
}
