/** What is posted in a thread when its binding begins and when it ends. */
import { formatDuration } from '../core/duration.ts';
import type { Binding, BindingEnd, BindingLimits } from '../core/thread-binding.ts';

function timers(limits: BindingLimits): string {
  const idle =
    limits.idleMs > 0
      ? `ends after ${formatDuration(limits.idleMs)} without a message`
      : 'does not end by idleness';
  const maxAge = limits.maxAgeMs > 0 ? `, and after ${formatDuration(limits.maxAgeMs)} in any case` : '';
  return `This ${idle}${maxAge}.`;
}

export function boundNotice(
  bound: BindingLimits & {
    readonly label: string;
    readonly agentId: string;
    readonly readsUnmentioned: boolean;
  },
): string {
  const how = bound.readsUnmentioned
    ? 'What you write here goes to it.'
    : 'Mention me, or reply to one of my messages here, and it goes to it.';
  return `**${bound.label}** (agent ${bound.agentId}) is in this thread. ${how}\n${timers(bound)} To leave: \`/unfocus\`. To change the timers: \`/session idle 2h\`, \`/session max-age 1d\`.`;
}

const REASONS: Record<BindingEnd, string> = {
  unfocused: 'it was unfocused',
  replaced: 'the thread was focused on something else',
  idle: 'nobody wrote here for a while (idle limit)',
  'max-age': 'it reached its maximum age',
  'thread-deleted': 'the thread was deleted',
  'thread-locked': 'the thread was locked',
  'session-archived': 'the session was archived',
};

export function endedNotice(binding: Pick<Binding, 'label'>, reason: BindingEnd): string {
  const again =
    reason === 'session-archived' ? '' : ` To talk to it again here: \`/focus ${focusWord(binding.label)}\`.`;
  return `**${binding.label}** is no longer in this thread: ${REASONS[reason]}.${again}`;
}

/** A label as it must be typed after `/focus`. */
function focusWord(label: string): string {
  return /\s/.test(label) ? `"${label}"` : label;
}
