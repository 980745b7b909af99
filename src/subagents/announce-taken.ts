/**
 * The other end of an announcement: a run that took completions in has ended. Its reply told them, it asked for silence, or
 * it failed; then they are told in the runtime's own words, or by whoever hears of the failure.
 */
import type { AfterCommit } from '../commit.ts';
import { inputId } from '../core/ids.ts';
import { completionInstruction, postedNotice } from '../core/prompt-blocks.ts';
import type { Delivery } from '../core/run.ts';
import type { ChannelDirectory } from '../delivery/directory.ts';
import type { Ids } from '../ports/ids.ts';
import type { Announce, Session, StoreTx } from '../ports/store/index.ts';
import { enqueueInput } from '../runs/enqueue.ts';
import type { EndedRun } from '../runs/settle.ts';
import { answeredCompletions } from './answered.ts';
import type { Completions, StoredResult } from './completed.ts';
import { moveAll, postPlain } from './post-plain.ts';
import { busyParent, climb, heardOrigin, waitingFor } from './requester.ts';

export function createSettleTaken(deps: { directory: ChannelDirectory; ids: Ids; completions: Completions }) {
  const { directory, ids, completions } = deps;

  /** This run has taken completions in: how it ended decides how they were told. */
  async function settleTaken(tx: StoreTx, after: AfterCommit, ended: EndedRun): Promise<void> {
    const handed: Announce[] = [];
    for (const id of ended.completions) {
      const announce = await tx.announces.get(id);
      if (announce?.status === 'handed') handed.push(announce);
    }
    if (handed.length === 0) return;
    const runs = handed.map((announce) => announce.runId);
    const { status, spoken, endedAt } = ended;
    if (status === 'cancelled') {
      return moveAll(tx, runs, { status: 'suppressed', reason: 'the requester was stopped' }, endedAt);
    }
    if (status !== 'succeeded') {
      const results = await completions.stored(tx, handed);
      if (ended.run.origin.delivery.kind === 'internal') {
        const up = await climb(tx, ended.session, ended.run.origin.announceTo ?? { kind: 'internal' });
        if (up.requester) return passUp(tx, after, ended, up.requester, up.announceTo, results);
        return postPlain(
          tx,
          after,
          directory,
          results,
          runs,
          up.announceTo,
          `plain:${ended.run.id}`,
          endedAt,
        );
      }
      return postUntold(tx, after, ended, results);
    }
    if (spoken.kind === 'posted') {
      return moveAll(tx, runs, { status: 'delivering', operation: spoken.operation }, endedAt);
    }
    const reason = spoken.kind === 'internal' ? 'taken in by the requester' : 'the requester stayed silent';
    return moveAll(tx, runs, { status: 'suppressed', reason }, endedAt);
  }

  /** The requester's model could not put these into words: the user hears the plain result all the same. */
  async function postUntold(
    tx: StoreTx,
    after: AfterCommit,
    { run, session, spoken, endedAt }: EndedRun,
    results: readonly StoredResult[],
  ): Promise<void> {
    const answered = await answeredCompletions(tx, run);
    const told = results.filter(({ announce }) => answered.has(announce.runId));
    const untold = results.filter(({ announce }) => !answered.has(announce.runId));
    const runsOf = (some: readonly StoredResult[]) => some.map(({ announce }) => announce.runId);
    const end =
      spoken.kind === 'posted' && run.partialReply !== ''
        ? ({ status: 'delivering', operation: spoken.operation } as const)
        : ({ status: 'suppressed', reason: 'the requester stayed silent' } as const);
    await moveAll(tx, runsOf(told), end, endedAt);
    if (untold.length === 0) return;
    const { delivery } = run.origin;
    await postPlain(tx, after, directory, untold, runsOf(untold), delivery, `plain:${run.id}`, endedAt);
    // Its transcript has the results and no word about them: its next turn would tell them again.
    await tx.inputs.insert(
      {
        id: inputId(`posted:${run.id}`),
        sessionKey: session.key,
        text: postedNotice(untold.map(({ label }) => label)),
        provenance: { kind: 'runtime' },
      },
      endedAt,
    );
  }

  /** A nested requester has failed without a word of what its subagents found: that goes to whoever hears of its failure. */
  async function passUp(
    tx: StoreTx,
    after: AfterCommit,
    ended: EndedRun,
    requester: Session,
    announceTo: Delivery,
    results: readonly StoredResult[],
  ): Promise<void> {
    const { run, endedAt } = ended;
    const { actor } = run.origin;
    const joined = (await waitingFor(tx, requester, run.id)) ?? (await busyParent(tx, requester));
    const origin = { delivery: announceTo, ...(actor && { actor }) };
    for (const { announce, block } of results) {
      const input = {
        text: `${block}\n${completionInstruction(false)}`,
        provenance: { kind: 'completion', sourceSession: announce.childKey, sourceRun: announce.runId },
      } as const;
      const id = inputId(`announce:${announce.runId}:${run.id}`);
      if (joined) {
        await tx.inputs.insert({ ...input, id, sessionKey: requester.key, runId: joined.id }, endedAt);
        continue;
      }
      const work = {
        ...input,
        session: requester,
        inputId: id,
        trigger: 'completion',
        mode: 'collect',
      } as const;
      const heard = await heardOrigin(tx, requester, origin);
      await enqueueInput(tx, after, ids, { ...work, origin: heard }, endedAt);
    }
  }

  return settleTaken;
}
