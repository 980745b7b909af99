/**
 * A script for models that act on plain words, for the main session and subagents alike:
 *
 *   `spawn a, b`         spawns subagents named so, each with its name as its task
 *   `spawn thread a`     the same with a thread of its own
 *   `slow …`             leaves the call open
 *   a completion         `heard of a`
 *   anything else        `re: …`, without saying from whom it came
 */
import { parseCompletionBlocks, TASK_MARK } from '../../src/core/prompt-blocks.ts';
import type { ModelRequest } from '../../src/ports/model.ts';
import { HOLD, lastText, type Script } from '../fakes/scripted-models.ts';

export const chatScript: Script = (request) => {
  if (request.messages.at(-1)?.role === 'tool') return 'started';
  const text = lastText(request);
  const completed = parseCompletionBlocks(text).length > 0 ? parseCompletionBlocks(textsSince(request)) : [];
  if (completed.length > 0) return `heard of ${completed.map(({ label }) => label).join(' and ')}`;
  const words = taskOf(request) ?? text.replace(/^\[message from .*\]\n/, '');
  const [, thread, names] = /^spawn (thread )?(.+)$/.exec(words) ?? [];
  if (names !== undefined) {
    const args = (name: string) => ({ task: name, label: name, ...(thread && { thread: true }) });
    return { calls: names.split(', ').map((name) => ({ name: 'sessions_spawn', arguments: args(name) })) };
  }
  return words.startsWith('slow') ? HOLD : `re: ${words}`;
};

/** Everything that was given to the model since its own last words; several results may arrive together. */
function textsSince(request: ModelRequest): string {
  const ownLast = request.messages.findLastIndex(({ role }) => role !== 'user');
  const since = request.messages.slice(ownLast + 1);
  return since.map((message) => (message.role === 'user' ? message.text : '')).join('\n');
}

/** The task of a subagent that has just begun. */
export function taskOf(request: ModelRequest): string | undefined {
  const text = lastText(request);
  return text.startsWith(`${TASK_MARK}\n`) ? text.slice(TASK_MARK.length + 1) : undefined;
}
