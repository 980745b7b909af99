/**
 * Announcing: what the end of a run means for others, in the transaction that ends it. A result is handed to the
 * requester as an input of its session, so that it can neither be lost nor come twice; where nobody's model can put it
 * into words, its plain text is posted instead.
 *
 *   child ends ──→ announce row + input of the requester ──→ requester's run ends ──→ its reply is the announcement
 */

import type { AfterCommit } from '../commit.ts';
import { completionStatus, normalisedText, statsLine } from '../core/announce.ts';
import { failureText } from '../core/failure-text.ts';
import { inputId, operationId, type RunId } from '../core/ids.ts';
import {
  type CompletionStatus,
  completionBlock,
  completionInstruction,
  postedNotice,
} from '../core/prompt-blocks.ts';
import { redact } from '../core/redaction.ts';
import type { Delivery, EndedStatus, Origin } from '../core/run.ts';
import { labelOf } from '../core/session-label.ts';
import { readReply } from '../core/silence.ts';
import type { Ids } from '../ports/ids.ts';
import type { Models } from '../ports/model.ts';
import type { Announce, Run, Session, StoreTx } from '../ports/store/index.ts';
import { enqueueInput } from '../runs/enqueue.ts';
import { type EndedRun, NO_OUTPUT } from '../runs/settle.ts';
import { answeredCompletions } from './answered.ts';
import { busyParent, climb, livingRequester, ownAnnounceTo, waitingFor } from './requester.ts';
import { resumeWhenDone } from './resume.ts';

/** Its final words; else the newest tool result, masked; else nothing. */
async function resultOf(tx: StoreTx, ended: EndedRun): Promise<string> {
  if (ended.outcome.error) return failureText(ended.outcome.error.code);
  if (ended.outcome.text.trim() !== '') return ended.outcome.text;
  const tail = await tx.entries.tail(ended.session.key, 20);
  const last = tail.findLast((entry) => entry.content.role === 'toolResult');
  return last?.content.role === 'toolResult' ? redact(JSON.stringify(last.content.result)) : '';
}

interface Completed {
  readonly label: string;
  readonly status: CompletionStatus;
  readonly result: string;
  readonly block: string;
}

/** What a run has reported before, with the obligation to tell it. */
interface StoredResult extends Completed {
  readonly announce: Announce;
}

export function createAnnounce(deps: { ids: Ids; models: Models }) {
  const { ids, models } = deps;

  function costOf(run: Run, ended: EndedRun): number | undefined {
    const ref = run.model ?? ended.session.model;
    const cost = ref === undefined ? undefined : models.describe(ref)?.cost;
    if (!cost) return undefined;
    const { inputTokens, outputTokens, cachedTokens } = ended.usage;
    const cached = cachedTokens * (cost.cachedInput ?? cost.input);
    return ((inputTokens - cachedTokens) * cost.input + cached + outputTokens * cost.output) / 1_000_000;
  }

  async function describe(tx: StoreTx, ended: EndedRun): Promise<Completed> {
    const { run, session } = ended;
    const words = (await resultOf(tx, ended)).trim();
    const label = labelOf(session);
    const status = completionStatus(ended.status, ended.outcome.text.trim() !== '');
    const result = words === '' ? NO_OUTPUT : words;
    const cost = costOf(run, ended);
    const stats = statsLine({
      runtimeMs: ended.endedAt - (run.startedAt ?? ended.endedAt),
      usage: ended.usage,
      sessionKey: session.key,
      sessionId: session.id,
      ...(cost !== undefined && { cost }),
    });
    const block = completionBlock({
      source: 'subagent',
      sessionKey: session.key,
      label,
      status,
      result,
      stats,
    });
    return { label, status, result, block };
  }

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
    const completed = await describe(tx, ended);
    if (!requester) {
      await tx.announces.insert({ ...announce, status: 'handed' }, endedAt);
      await postPlain(tx, after, [completed], [run.id], announceTo, `orphan:${run.id}`, endedAt);
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

  /**
   * A nested requester that has ended already is nobody's turn any more: what it makes of a late result is announced to
   * those above it, as its own result was.
   */
  async function heardOrigin(tx: StoreTx, requester: Session, origin: Origin): Promise<Origin> {
    if (origin.delivery.kind === 'external' || requester.role === 'main') return origin;
    const announceTo = await ownAnnounceTo(tx, requester);
    return announceTo === undefined ? origin : { ...origin, announceTo };
  }

  /** The child was stopped: nothing is announced, but nobody may wait for it for ever. */
  async function tellStopped(tx: StoreTx, after: AfterCommit, ended: EndedRun): Promise<void> {
    const requester = await livingRequester(tx, ended.session);
    const waiting = requester && (await waitingFor(tx, requester, ended.run.id));
    if (!waiting) return;
    const { block } = await describe(tx, ended);
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
      const results = await storedResults(tx, handed);
      if (ended.run.origin.delivery.kind === 'internal') {
        const up = await climb(tx, ended.session, ended.run.origin.announceTo ?? { kind: 'internal' });
        if (up.requester) return passUp(tx, after, ended, up.requester, up.announceTo, results);
        return postPlain(tx, after, results, runs, up.announceTo, `plain:${ended.run.id}`, endedAt);
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
    await postPlain(tx, after, untold, runsOf(untold), delivery, `plain:${run.id}`, endedAt);
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

  async function storedResults(
    tx: StoreTx,
    announces: readonly Announce[],
  ): Promise<readonly StoredResult[]> {
    const found: StoredResult[] = [];
    for (const announce of announces) {
      const run = await tx.runs.get(announce.runId);
      const session = await tx.sessions.get(announce.childKey);
      if (!run?.outcome || !session) continue;
      const endedAt = run.endedAt ?? announce.createdAt;
      const completed = await describe(tx, {
        run,
        session,
        status: announce.outcome,
        outcome: run.outcome,
        endedAt,
        usage: run.usage,
        spoken: { kind: 'internal' },
        completions: [],
      });
      found.push({ ...completed, announce });
    }
    return found;
  }

  /** Says results in the runtime's own words, where they were asked for. */
  async function postPlain(
    tx: StoreTx,
    after: AfterCommit,
    completed: readonly Completed[],
    runs: readonly RunId[],
    delivery: Delivery,
    key: string,
    now: number,
  ): Promise<void> {
    if (delivery.kind === 'internal') {
      return moveAll(
        tx,
        runs,
        { status: 'undelivered', reason: 'no place to say it and nobody to tell' },
        now,
      );
    }
    const { address } = delivery;
    const id = operationId(`announce:${key}`);
    await tx.operations.insert(
      [
        {
          id,
          address,
          call: { kind: 'send', text: redact(completed.map(normalisedText).join('\n\n')) },
          purpose: { kind: 'announce', announces: runs },
        },
      ],
      now,
    );
    await moveAll(tx, runs, { status: 'delivering', operation: id }, now);
    after.publish({ type: 'operations', channel: address.channel, account: address.account });
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

async function moveAll(
  tx: StoreTx,
  runs: readonly RunId[],
  to: Parameters<StoreTx['announces']['move']>[2],
  now: number,
): Promise<void> {
  for (const run of runs) await tx.announces.move(run, ['handed'], to, now);
}

/** Outcome words of the state log. */
export function stateOutcome(status: EndedStatus): 'success' | 'error' | 'timeout' | 'cancelled' {
  if (status === 'succeeded') return 'success';
  if (status === 'timed_out') return 'timeout';
  return status === 'cancelled' ? 'cancelled' : 'error';
}
