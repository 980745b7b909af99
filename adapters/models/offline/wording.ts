/** The stand-in's sentences about tools and subagents. Never a session key, an id or a raw tool answer. */
import { type AnsweredCall, type Completion, textArgument } from './conversation.ts';

const INTRO_START = "I am Skein's built-in stand-in, not a real model";
export const INTRO = `${INTRO_START}: put OPENAI_API_KEY, OPENROUTER_API_KEY or OLLAMA_BASE_URL into .env and restart to connect one.`;
export const HOW_TO =
  'Try "look into the history of tea in a thread", the same without "in a thread", "look into tea and coffee in threads", or "report".';

export function hasIntroduction(text: string): boolean {
  return text.includes(INTRO_START);
}

/** Enough to be recognised again, never a page of it. */
export function excerpt(text: string, length = 160): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length).trimEnd().toWellFormed()}…`;
}

function withoutLocators(text: string): string {
  return text
    .replace(/\bagent:[\w-]+(?::[\w.-]+)+/g, 'a session')
    .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '')
    .trim();
}

function reasonIn(result: unknown): string {
  if (typeof result === 'string') return withoutLocators(result);
  const answer = (result ?? {}) as { error?: unknown; message?: unknown; reason?: unknown };
  const nested = (answer.error as { message?: unknown } | undefined)?.message;
  const reason = [nested, answer.error, answer.message, answer.reason].find(
    (text) => typeof text === 'string',
  );
  return typeof reason === 'string' ? withoutLocators(reason) : 'it was refused';
}

function isRefused(answered: AnsweredCall): boolean {
  const status = (answered.result as { status?: unknown } | null)?.status;
  return answered.isError || status === 'error' || status === 'forbidden';
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function list(names: readonly string[]): string {
  const bold = names.map((name) => `**${name}**`);
  return bold.length < 2 ? (bold[0] ?? '') : `${bold.slice(0, -1).join(', ')} and ${bold.at(-1)}`;
}

function labelOf(answered: AnsweredCall): string {
  return textArgument(answered.call, 'label') || 'the subagent';
}

function isInThread(answered: AnsweredCall): boolean {
  return (answered.call.arguments as { thread?: unknown } | null)?.thread === true;
}

function startedLines(started: readonly AnsweredCall[]): readonly string[] {
  const threaded = started.filter(isInThread).map(labelOf);
  const quiet = started.filter((answered) => !isInThread(answered)).map(labelOf);
  const lines: string[] = [];
  // Whether the thread can be had is not known yet, and this may be read after it is.
  if (threaded.length === 1)
    lines.push(
      `I asked for a thread in which ${list(threaded)} is to work. Once it is open, write there to talk to it.`,
    );
  if (threaded.length > 1)
    lines.push(
      `I asked for a thread each in which ${list(threaded)} are to work. Once they are open, write there to talk to them.`,
    );
  if (quiet.length > 0) {
    lines.push(
      `I started ${list(quiet)} and will tell you here when ${quiet.length > 1 ? 'they are' : 'it is'} done.`,
    );
  }
  return lines;
}

function sentLine(answered: AnsweredCall): string {
  const reply = (answered.result as { reply?: unknown } | null)?.reply;
  const passed = `I passed that on to **${labelOf(answered)}**.`;
  return typeof reply === 'string' && reply !== '' ? `${passed} It says: ${excerpt(reply, 600)}` : passed;
}

/** What came of the tool calls of the last step. */
export function resultText(answered: readonly AnsweredCall[]): string {
  const refused = answered.filter(isRefused);
  const accepted = answered.filter((one) => !isRefused(one));
  const started = accepted.filter((one) => one.call.name === 'sessions_spawn');
  const sent = accepted.filter((one) => one.call.name === 'sessions_send');
  const others = accepted.filter((one) => !started.includes(one) && !sent.includes(one));
  return [
    ...startedLines(started),
    ...sent.map(sentLine),
    ...others.map((one) => `${one.call.name} is done.`),
    ...refused.map((one) =>
      one.call.name === 'sessions_spawn'
        ? sentence(`I could not start **${labelOf(one)}**: ${reasonIn(one.result)}`)
        : sentence(`${one.call.name} did not work: ${reasonIn(one.result)}`),
    ),
  ].join('\n');
}

export function completionText({ label, status, result }: Completion): string {
  const name = `**${label || 'A subagent'}**`;
  const words = withoutLocators(result);
  const after = words === '' || words === '(no output)' ? undefined : words;
  switch (status) {
    case 'success':
      return after ? `${name} is done: ${after}` : `${name} is done. It had nothing to say.`;
    case 'error':
      return after ? `${name} failed: ${after}` : `${name} failed.`;
    case 'timeout':
      return after ? `${name} ran out of time. It got this far: ${after}` : `${name} ran out of time.`;
    default:
      return after
        ? `${name} ended, and I cannot tell how it went: ${after}`
        : `${name} ended, and I cannot tell how it went.`;
  }
}

export function summaryText(completions: readonly Completion[], spawned: readonly string[]): string {
  const isBack = (label: string) => completions.some((one) => one.label === label);
  const open = spawned.filter((label) => !isBack(label));
  const waiting = open.length > 0 ? `Not heard from yet: ${list(open)}.` : '';
  if (completions.length === 0) {
    return ['No subagent has reported back here so far.', waiting].filter(Boolean).join(' ');
  }
  const lines = completions.map((one) => `- ${completionText({ ...one, result: excerpt(one.result, 240) })}`);
  return ['Here is what has come back so far:', ...lines, waiting].filter(Boolean).join('\n');
}
