/**
 * What is said when a subagent's run ends: the status words, the stats line, and the text that is posted as it is when the
 * requester's model cannot put it into words.
 */
import { formatDuration } from './duration.ts';
import type { CompletionStatus } from './prompt-blocks.ts';
import type { EndedStatus, Usage } from './run.ts';

/** From the runtime's outcome, never from the model's words. */
export function completionStatus(status: EndedStatus, hasResult: boolean): CompletionStatus {
  switch (status) {
    case 'succeeded':
      return hasResult ? 'success' : 'unknown';
    case 'timed_out':
      return 'timeout';
    case 'interrupted':
      return 'unknown';
    default:
      return 'error';
  }
}

const STATUS_WORDS: Record<CompletionStatus, string> = {
  success: 'completed successfully',
  error: 'failed',
  timeout: 'timed out',
  unknown: 'unknown',
};

export interface Stats {
  readonly runtimeMs: number;
  readonly usage: Usage;
  /** US dollars, when prices are configured. */
  readonly cost?: number;
  readonly sessionKey: string;
  readonly sessionId: string;
}

export function statsLine(stats: Stats): string {
  const { inputTokens, outputTokens } = stats.usage;
  return [
    `runtime ${formatDuration(stats.runtimeMs).replaceAll(' ', '')}`,
    `tokens ${inputTokens} in / ${outputTokens} out / ${inputTokens + outputTokens} total`,
    ...(stats.cost === undefined ? [] : [`cost $${stats.cost.toFixed(4)}`]),
    `sessionKey ${stats.sessionKey}`,
    `sessionId ${stats.sessionId}`,
    `transcript sessions/${stats.sessionId}`,
  ].join(' | ');
}

/** Posted at the origin when no model turn could be made of it; `result` is already safe to show. */
export function normalisedText(completion: {
  readonly label: string;
  readonly status: CompletionStatus;
  readonly result: string;
  readonly notes?: string;
}): string {
  return [
    `**${completion.label}**`,
    `Status: ${STATUS_WORDS[completion.status]}`,
    `Result: ${completion.result}`,
    ...(completion.notes ? [`Notes: ${completion.notes}`] : []),
  ].join('\n');
}
