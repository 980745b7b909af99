/**
 * Announcing: what the end of a run means for others, in the transaction that ends it. A result is handed to the
 * requester as an input of its session, so that it can neither be lost nor come twice; where nobody's model can put it
 * into words, its plain text is posted instead.
 *
 *   child ends ──→ announce row + input of the requester ──→ requester's run ends ──→ its reply is the announcement
 *                                                            (announce-taken.ts)
 */
import type { AfterCommit } from '../commit.ts';
import { inputId } from '../core/ids.ts';
import { completionInstruction } from '../core/prompt-blocks.ts';
import type { Delivery } from '../core/run.ts';
import { readReply } from '../core/silence.ts';
import type { ChannelDirectory } from '../delivery/directory.ts';
import type { Ids } from '../ports/ids.ts';
import type { Models } from '../ports/model.ts';
import type { StoreTx } from '../ports/store/index.ts';
import { enqueueInput } from '../runs/enqueue.ts';
import type { EndedRun } from '../runs/settle.ts';
import { createSettleTaken } from './announce-taken.ts';
import { createCompletions } from './completed.ts';
import { postPlain } from './post-plain.ts';
import { busyParent, climb, heardOrigin, livingRequester, waitingFor } from './requester.ts';
import { resumeWhenDone } from './resume.ts';

export function createAnnounce(deps: { directory: ChannelDirectory; ids: Ids; models: Models }) {
  const { directory, ids, models } = deps;
  const completions = createCompletions({ models });
  const settleTaken = createSettleTaken({ directory, ids, completions });

  /** A child's run has ended: whoever asked for it is told, by the rule for its kind. */
  async function handOver(
    tx: StoreTx,
    after: AfterCommit,
    ended: EndedRun,
    frozenTo: Delivery,
  ): Promise<void> {
    const { run, session, endedAt } = ended;
    const { requester, announceTo } = await climb(tx, session, frozenTo);
    const origin = { delivery: announceTo, ...(run.origin.actor && { actor: run.origin.actor }) };
    const announce = {
      runId: run.id,
      childKey: session.key,
      requesterKey: requester?.key ?? session.spawnedBy ?? session.key,
      origin,
      outcome: ended.status,
    };
    const isSkip = readReply(ended.outcome.text);
    const waiting = requester && (await waitingFor(tx, requester, run.id));
    if (isSkip.kind === 'silent' && !waiting) {
      await tx.announces.insert({ ...announce, status: 'suppressed', reason: isSkip.token }, endedAt);
      return;
    }
    const completed = await completions.describe(tx, ended);
    if (!requester) {
      await tx.announces.insert({ ...announce, status: 'handed' }, endedAt);
      await postPlain(tx, after, directory, [completed], [run.id], announceTo, `orphan:${run.id}`, endedAt);
      return;
    }
    const isInThread = session.mode === 'session' && run.origin.delivery.kind === 'external';
    const isRecordOnly = isInThread && !waiting;
    const text = `${completed.block}\n${completionInstruction(isInThread)}`;
    const provenance = { kind: 'completion', sourceSession: session.key, sourceRun: run.id } as const;
    const id = inputId(`announce:${run.id}`);
    if (isRecordOnly) {
      await tx.announces.insert(
        { ...announce, status: 'suppressed', reason: 'answered in its own thread' },
        endedAt,
      );
      await tx.inputs.insert({ id, sessionKey: requester.key, text, provenance }, endedAt);
      return;
    }
    await tx.announces.insert({ ...announce, status: 'handed' }, endedAt);
    const joined = waiting ?? (await busyParent(tx, requester));
    if (joined) {
      await tx.inputs.insert({ id, sessionKey: requester.key, runId: joined.id, text, provenance }, endedAt);
      await resumeWhenDone(tx, after, requester, joined, run.id);
      return;
    }
    await enqueueInput(
      tx,
      after,
      ids,
      {
        session: requester,
        inputId: id,
        text,
        provenance,
        trigger: 'completion',
        origin: await heardOrigin(tx, requester, origin),
        mode: 'collect',
      },
      endedAt,
    );
  }

  /** The child was stopped: nothing is announced, but nobody may wait for it for ever. */
  async function tellStopped(tx: StoreTx, after: AfterCommit, ended: EndedRun): Promise<void> {
    const requester = await livingRequester(tx, ended.session);
    const waiting = requester && (await waitingFor(tx, requester, ended.run.id));
    if (!waiting) return;
    const { block } = await completions.describe(tx, ended);
    await tx.inputs.insert(
      {
        id: inputId(`announce:${ended.run.id}`),
        sessionKey: requester.key,
        runId: waiting.id,
        text: `${block}\n${completionInstruction(false)}`,
        provenance: { kind: 'completion', sourceSession: ended.session.key, sourceRun: ended.run.id },
      },
      ended.endedAt,
    );
    await resumeWhenDone(tx, after, requester, waiting, ended.run.id);
  }

  return {
    async onRunEnd(tx: StoreTx, after: AfterCommit, ended: EndedRun): Promise<void> {
      await settleTaken(tx, after, ended);
      const { announceTo } = ended.run.origin;
      if (announceTo === undefined) return;
      if (ended.status === 'cancelled') await tellStopped(tx, after, ended);
      else await handOver(tx, after, ended, announceTo);
    },
  };
}
