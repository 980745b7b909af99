/** What the end of a subagent's run says: status, result and stats, as the requester is given them. Only looks. */
import { completionStatus, statsLine } from '../core/announce.ts';
import { failureText } from '../core/failure-text.ts';
import { type CompletionStatus, completionBlock } from '../core/prompt-blocks.ts';
import { redact } from '../core/redaction.ts';
import { labelOf } from '../core/session-label.ts';
import type { Models } from '../ports/model.ts';
import type { Announce, Run, StoreTx } from '../ports/store/index.ts';
import { type EndedRun, NO_OUTPUT } from '../runs/settle.ts';

export interface Completed {
  readonly label: string;
  readonly status: CompletionStatus;
  readonly result: string;
  readonly block: string;
}

/** What a run has reported before, with the obligation to tell it. */
export interface StoredResult extends Completed {
  readonly announce: Announce;
}

/** Its final words; else the newest tool result, masked; else nothing. */
async function resultOf(tx: StoreTx, ended: EndedRun): Promise<string> {
  if (ended.outcome.error) return failureText(ended.outcome.error.code);
  if (ended.outcome.text.trim() !== '') return ended.outcome.text;
  const tail = await tx.entries.tail(ended.session.key, 20);
  const last = tail.findLast((entry) => entry.content.role === 'toolResult');
  return last?.content.role === 'toolResult' ? redact(JSON.stringify(last.content.result)) : '';
}

export interface Completions {
  describe(tx: StoreTx, ended: EndedRun): Promise<Completed>;
  /** Of runs that ended earlier; those that are gone are left out. */
  stored(tx: StoreTx, announces: readonly Announce[]): Promise<readonly StoredResult[]>;
}

export function createCompletions({ models }: { models: Models }): Completions {
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

  return { describe, stored: storedResults };
}
