/**
 * The model of the chaos run: what it answers follows from the conversation alone, so that it can be asked again after any
 * crash. It does what the messages of `plan.ts` ask for, and then says in one reply what it has answered:
 *
 *   "re m-7" for a message · "told c-7" for a subagent that reported · "found t-7" as the subagent itself
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type ChatBody, type FakeReply, type ReplyHandler, textOf } from '../../test/fakes/model-server.ts';
import { hashOf } from './random.ts';

const TASK_MARK = '[Subagent Task]';
const MIN_THINKING_MS = 5;
const MAX_THINKING_MS = 250;

export const chaosModel: ReplyHandler = async (body) => {
  const reply = decide(body);
  const told = JSON.stringify(reply);
  await pause(MIN_THINKING_MS + (hashOf(told) % MAX_THINKING_MS));
  return reply;
};

interface Said {
  /** What people and the runtime said since the last answer. */
  readonly unanswered: string;
  /** Labels of subagents that were started at any time. */
  readonly started: ReadonlySet<string>;
}

function read({ messages }: ChatBody): Said {
  const started = new Set<string>();
  let unanswered = '';
  for (const { role, content, tool_calls: calls = [] } of messages) {
    if (role === 'user') unanswered += `${textOf(content)}\n`;
    if (role !== 'assistant') continue;
    if (calls.length === 0) unanswered = '';
    for (const call of calls) {
      const { label } = JSON.parse(call.function.arguments) as { label?: string };
      if (label !== undefined) started.add(label);
    }
  }
  return { unanswered, started };
}

function decide(body: ChatBody): FakeReply {
  const { unanswered, started } = read(body);
  const task = unanswered.lastIndexOf(TASK_MARK);
  // A subagent that knows the conversation before its task does not answer it.
  const text = task === -1 ? unanswered : unanswered.slice(task);
  const orders = [...text.matchAll(/(?:^|: )m-\w+ (spawn|thread|several) (.+)$/gm)];
  const calls = orders.flatMap(([, how, labels]) =>
    labels!
      .split(' ')
      .filter((label) => !started.has(label))
      .map((label) => spawnCall(label, how === 'thread')),
  );
  if (calls.length > 0) {
    const waits = orders.some(([, how]) => how === 'several');
    return { type: 'tool-calls', calls: waits ? [...calls, yieldCall(calls[0]!.id)] : calls };
  }
  const posted = matches(text, /([^\n]*These results have been posted[^\n]*)/g).join();
  const isPosted = (label: string) => matches(posted, /\b(c-\w+)/g).includes(label);
  const words = [
    ...matches(text, /^([ct]-\w+) dig$/gm).map((label) => `found ${label}`),
    ...matches(text, /(?:^|: )(m-\w+) (?:plain|spawn|thread|several)/gm).map((id) => `re ${id}`),
    ...matches(text, /^label: (c-\w+)$/gm)
      .filter((label) => !isPosted(label))
      .map((label) => `told ${label}`),
  ];
  const said = words.join('; ');
  return { type: 'text', text: said === '' ? 'NO_REPLY' : said };
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1]!))];
}

function spawnCall(label: string, thread: boolean) {
  return {
    id: `spawn_${label}`,
    name: 'sessions_spawn',
    arguments: { task: `${label} dig`, label, ...(thread && { thread: true }) },
  };
}

function yieldCall(after: string) {
  return { id: `yield_${after}`, name: 'sessions_yield', arguments: {} };
}
