/**
 * The request for one step: what the model is told, from the stored transcript. Tool calls always get a result right behind
 * them, since providers refuse anything else; a call that was cut off gets one that says so.
 */
import { promptText } from '../core/prompt-blocks.ts';
import { mainPrompt, subagentPrompt } from '../core/system-prompt.ts';
import type { Entry, ToolCall } from '../core/transcript.ts';
import type { ModelMessage, ModelRequest } from '../ports/model.ts';
import type { Settings } from '../ports/settings.ts';
import type { Run, Session } from '../ports/store/index.ts';
import type { Pictures } from './pictures.ts';
import type { Toolbox } from './tool.ts';

/** The part of the transcript that is sent: this many characters, from the newest back. */
const MAX_PROMPT_CHARS = 400_000;
/** How many entries are read for that. */
export const MAX_PROMPT_ENTRIES = 1_000;

const CUT_OFF = JSON.stringify({ status: 'error', error: 'no result: the call was cut off' });
/** A fork is made in the middle of the call that makes it, so the copy never holds that call's result. */
const FORKED_OFF = JSON.stringify({ status: 'accepted', note: 'what this call began is told further on' });

export function buildRequest(
  request: { run: Run; session: Session; entries: readonly Entry[]; model: string; pictures: Pictures },
  settings: Settings,
  toolbox: Toolbox,
): ModelRequest {
  const { run, session, entries, model, pictures } = request;
  const tools = toolbox.offeredTo(session).map((offered) => offered.forModel);
  const thinking = run.thinking ?? session.thinking ?? settings.thinking(session.agentId);
  return {
    model,
    system: systemPrompt(
      run,
      session,
      settings,
      tools.some((tool) => tool.name === 'sessions_spawn'),
    ),
    messages: toMessages(newest(entries), pictures),
    tools,
    ...(thinking !== undefined && { thinking }),
  };
}

function systemPrompt(run: Run, session: Session, settings: Settings, canSpawn: boolean): string {
  const { delivery } = run.origin;
  const place = delivery.kind === 'external' ? { place: delivery.address } : {};
  const at = { agentId: session.agentId, canSpawn, ...place };
  if (session.role === 'main') return mainPrompt(at);
  return subagentPrompt({
    ...at,
    requester: session.spawnedBy ?? 'an earlier session',
    depth: session.depth,
    maxDepth: settings.subagents(session.agentId).maxSpawnDepth,
    isThreadBound: delivery.kind === 'external',
  });
}

/** As many of the newest entries as fit, beginning with a user's, never with a result whose call is cut away. */
function newest(entries: readonly Entry[]): readonly Entry[] {
  let chars = 0;
  let from = entries.length;
  while (from > 0) {
    const entry = entries[from - 1]!;
    chars +=
      entry.content.role === 'toolResult'
        ? JSON.stringify(entry.content.result).length
        : entry.content.text.length;
    if (chars > MAX_PROMPT_CHARS) break;
    from--;
  }
  const isWhole = from === 0 && (entries[0]?.seq ?? 1) === 1;
  if (isWhole) return entries;
  const user = entries.findIndex((entry, i) => i >= from && entry.content.role === 'user');
  return user === -1 ? newestOfOneTurn(entries, from) : entries.slice(user);
}

/** A turn so long that its beginning does not fit: what it is about, and its newest steps, the last one in any case. */
function newestOfOneTurn(entries: readonly Entry[], from: number): readonly Entry[] {
  const asked = entries.findLastIndex((entry) => entry.content.role === 'user');
  const isStep = (entry: Entry) => entry.content.role === 'assistant';
  const fitting = entries.findIndex((entry, i) => i >= from && isStep(entry));
  const step = Math.max(asked + 1, fitting === -1 ? entries.findLastIndex(isStep) : fitting);
  return [...entries.slice(Math.max(0, asked), asked + 1), ...entries.slice(step)];
}

function toMessages(entries: readonly Entry[], pictures: Pictures): readonly ModelMessage[] {
  const messages: ModelMessage[] = [];
  let open: readonly ToolCall[] = [];
  let isForked = false;
  const closeOpen = () => {
    for (const { id: callId, name: toolName } of open) {
      const result = isForked ? FORKED_OFF : CUT_OFF;
      messages.push({ role: 'tool', callId, toolName, result, isError: !isForked });
    }
    open = [];
  };
  for (const entry of entries) {
    const { content } = entry;
    if (content.role === 'toolResult') {
      if (!open.some((call) => call.id === content.callId)) continue;
      open = open.filter((call) => call.id !== content.callId);
      messages.push({
        role: 'tool',
        callId: content.callId,
        toolName: content.toolName,
        result: JSON.stringify(content.result) ?? 'null',
        isError: content.isError,
      });
      continue;
    }
    closeOpen();
    if (content.role === 'assistant') {
      messages.push({ role: 'assistant', text: content.text, toolCalls: content.toolCalls });
      open = content.toolCalls;
      isForked = entry.provenance.forkedFrom !== undefined;
      continue;
    }
    const text = promptText(entry);
    messages.push({ role: 'user', ...(content.images ? pictures.shown(text, content.images) : { text }) });
  }
  closeOpen();
  return messages;
}
