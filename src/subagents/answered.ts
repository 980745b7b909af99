/**
 * Which results a run has put into words before it failed: those that it had been given before the last of its answers that
 * stands in the transcript. Such an answer is part of the run's reply, however the run ends.
 */
import type { RunId } from '../core/ids.ts';
import type { Run, StoreTx } from '../ports/store/index.ts';

/** A run that joins this much before it fails is not expected. */
const MAX_ENTRIES = 500;

export async function answeredCompletions(tx: StoreTx, run: Run): Promise<ReadonlySet<RunId>> {
  if (run.step === 0) return new Set();
  const entries = (await tx.entries.tail(run.sessionKey, MAX_ENTRIES)).filter(
    (entry) => entry.runId === run.id,
  );
  const answer = entries.findLastIndex(
    ({ content }) => content.role === 'assistant' && content.toolCalls.length === 0,
  );
  const sources = entries.slice(0, answer + 1).flatMap(({ provenance }) => {
    return provenance.kind === 'completion' && provenance.sourceRun !== undefined
      ? [provenance.sourceRun as RunId]
      : [];
  });
  return new Set(sources);
}
