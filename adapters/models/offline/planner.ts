/**
 * What the stand-in says and does next, decided from the request alone: the same request gives the same reply, always.
 */
import type { ModelMessage, ModelRequest } from '../../../src/ports/model.ts';
import { receivedText } from './attachments.ts';
import {
  answeredCalls,
  completionsIn,
  pending,
  readUserText,
  type Said,
  spawnedLabels,
  subagentTask,
} from './conversation.ts';
import { type PersonRequest, understand } from './requests.ts';
import { followUpText, reportText } from './subagent.ts';
import { distinctLabels } from './topics.ts';
import {
  completionText,
  excerpt,
  HOW_TO,
  hasIntroduction,
  INTRO,
  resultText,
  summaryText,
} from './wording.ts';

/** More at once would be a mistake more often than a wish. */
const MAX_SPAWNS = 5;

export interface PlannedCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

export interface PlannedReply {
  readonly text: string;
  readonly toolCalls: readonly PlannedCall[];
}

const say = (text: string): PlannedReply => ({ text, toolCalls: [] });

function canUse(request: ModelRequest, tool: string): boolean {
  return request.tools.some((offered) => offered.name === tool);
}

function overfullText(left: number): string {
  return `I start at most ${MAX_SPAWNS} at once; ask again for the other ${left}.`;
}

function planSpawn(asked: Extract<PersonRequest, { kind: 'spawn' }>, request: ModelRequest): PlannedReply {
  if (!canUse(request, 'sessions_spawn')) return say('I may not start subagents here.');
  const tasks = asked.tasks.slice(0, MAX_SPAWNS);
  const labels = distinctLabels(tasks);
  const left = asked.tasks.length - tasks.length;
  return {
    text: left > 0 ? overfullText(left) : '',
    toolCalls: tasks.map((task, index) => ({
      name: 'sessions_spawn',
      arguments: { task, label: labels[index], ...(asked.isInThread && { thread: true }) },
    })),
  };
}

function planTell(asked: Extract<PersonRequest, { kind: 'tell' }>, request: ModelRequest): PlannedReply {
  const known = spawnedLabels(request.messages).find(
    (label) => label.toLowerCase() === asked.label.replace(/\*/g, '').toLowerCase(),
  );
  const label = known ?? asked.label;
  if (canUse(request, 'sessions_send')) {
    return { text: '', toolCalls: [{ name: 'sessions_send', arguments: { label, message: asked.message } }] };
  }
  return say(
    `I cannot reach **${label}** from here. Please write "${excerpt(asked.message, 80)}" in its thread.`,
  );
}

function planRequest(asked: PersonRequest, request: ModelRequest): PlannedReply {
  switch (asked.kind) {
    case 'spawn':
      return planSpawn(asked, request);
    case 'tell':
      return planTell(asked, request);
    case 'spawn-without-task':
      return say(
        'What should the subagent do? For example: "spawn a subagent in a thread to compare tea and coffee".',
      );
    case 'report':
      return say(summaryText(completionsIn(request.messages), spawnedLabels(request.messages)));
    case 'go-on':
      return say(
        'There is nothing of mine to go on with. To continue a subagent, write "go on" in its thread.',
      );
    case 'greeting':
      return say(`Hello! ${HOW_TO}`);
    case 'help':
      return say(HOW_TO);
    case 'other':
      return say(`You said: "${excerpt(asked.text)}". ${HOW_TO}`);
  }
}

function isExplicitSpawn(text: string): boolean {
  return /^\W*(?:please\s+|now\s+|(?:can|could) you\s+)*(?:spawn|start|launch)\b/i.test(text);
}

/** In a subagent's session words are about its task, unless they plainly ask for another subagent. */
function planWords(text: string, request: ModelRequest): PlannedReply {
  const own = subagentTask(request.messages);
  const asked = understand(text);
  if (!own) return planRequest(asked, request);
  const startsMore = asked.kind === 'spawn' && canUse(request, 'sessions_spawn');
  if (startsMore && (asked.isInThread || isExplicitSpawn(text))) return planSpawn(asked, request);
  return say(followUpText(own.task, text, own.since));
}

function planSaid(said: Said, request: ModelRequest): PlannedReply {
  switch (said.kind) {
    case 'completions':
      return say(said.completions.map(completionText).join('\n\n'));
    case 'session':
      return subagentTask(request.messages)
        ? planWords(said.text, request)
        : say(`I got the message: "${excerpt(said.text)}".`);
    case 'person':
      return planWords(said.text, request);
    case 'notice':
      return say('');
  }
}

/** A subagent without a thread is told in its system prompt that nobody reads it. */
function canBeAnswered(request: ModelRequest): boolean {
  return !request.system.includes('You do not talk to people');
}

function planTask(task: string, request: ModelRequest): PlannedReply {
  const asked = understand(task);
  const delegates = asked.kind === 'spawn' && isExplicitSpawn(task) && canUse(request, 'sessions_spawn');
  return delegates ? planSpawn(asked, request) : say(reportText(task, canBeAnswered(request)));
}

/** Results that stand in a thread already are only spoken of when there is nothing else to answer. */
function withoutKnown(saids: readonly Said[]): readonly Said[] {
  const news = saids.filter(
    (said) => said.kind !== 'notice' && !(said.kind === 'completions' && said.isKnown),
  );
  return news.length > 0 ? news : saids;
}

const isWordless = (said: Said): boolean => said.kind === 'person' && said.text === '';

/** People are not sent what stood beside the calls; it is said with their results. */
function wordsBesideCalls({ messages }: ModelRequest): string {
  const asked = messages.findLast((message) => message.role === 'assistant');
  return asked?.role === 'assistant' ? asked.text : '';
}

function planPending(fresh: readonly ModelMessage[], request: ModelRequest): PlannedReply {
  const results = fresh.filter((message) => message.role === 'tool');
  const own = subagentTask(request.messages);
  const isNewTask = own !== undefined && !own.since.some((message) => message.role === 'assistant');
  const said = withoutKnown(
    fresh
      .filter((message) => message.role === 'user')
      .filter((message) => !isNewTask || own.since.includes(message))
      .map((message) => readUserText(message.text)),
  );
  const received = receivedText(fresh);
  const plans = [
    ...(results.length > 0 && !isNewTask
      ? [say(resultText(answeredCalls(request.messages, results))), say(wordsBesideCalls(request))]
      : []),
    ...(isNewTask ? [planTask(own.task, request)] : []),
    say(received),
    ...said.filter((one) => received === '' || !isWordless(one)).map((one) => planSaid(one, request)),
  ];
  return {
    text: plans
      .map((plan) => plan.text)
      .filter((text) => text !== '')
      .join('\n\n'),
    toolCalls: plans.flatMap((plan) => plan.toolCalls).slice(0, MAX_SPAWNS),
  };
}

function isIntroduced(request: ModelRequest): boolean {
  return request.messages.some((message) => message.role === 'assistant' && hasIntroduction(message.text));
}

/** The introduction belongs to the first reply, not to the words beside a tool call, which nobody is sent. */
export function planReply(request: ModelRequest): PlannedReply {
  const plan = planPending(pending(request.messages), request);
  if (plan.toolCalls.length > 0) return plan;
  const text = plan.text || `There is nothing new for me to answer. ${HOW_TO}`;
  const needsIntroduction = !subagentTask(request.messages) && !isIntroduced(request);
  return say(needsIntroduction ? `${text}\n\n${INTRO}` : text);
}
