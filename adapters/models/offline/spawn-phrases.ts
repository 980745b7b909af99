/**
 * How people ask for subagents: with a verb of research or by naming a subagent, with or without a thread, one or several.
 * Patterns over one request whose courtesies are already taken off.
 */
import { splitList } from './topics.ts';

export interface Spawns {
  /** Empty when a subagent was asked for without saying what it should do. */
  readonly tasks: readonly string[];
  readonly isInThread: boolean;
}

/** The patterns look back and forth; on a page of text that would take noticeable time. */
export const MAX_PHRASE = 1000;

const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  another: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
};
const COUNT = '(a few|several|some|an?|one|another|two|three|four|five|\\d+)';
const SPAWN = new RegExp(
  `^(?:(?:spawn|start|launch|create|open|make|use|run)\\s+(?:${COUNT}\\s+)?|(?:let|have|get|ask)\\s+${COUNT}\\s+)(?:new\\s+)?(?:sub-?\\s?agents?|agents?)\\b`,
  'i',
);
const DELEGATE =
  /^(?:delegate|hand|give)\s+(.+?)\s+to\s+(?:an?|another|one)\s+(?:new\s+)?(?:sub-?agent)\b(.*)$/is;
const OPEN_THREAD = /^(?:open|create|make|start)\s+an?\s+(?:new\s+)?thread\s+(and|to|for|about|on)\s+/i;
const RESEARCH =
  /^(?:look (?:into|at|up)|have a look (?:into|at)|take a look (?:into|at)|research|investigate|explore|dig into|study|find out(?: about)?|check out)\s+/i;

const OF_THREAD =
  '(?:(?:a|an|its|their|his|her|own|new|separate|different|another|one|two|three|four|five|each|fresh|subagent)\\s+)';
const IN_THREAD = `(?:each\\s+)?(?:in|with|inside|using)\\s+(?:${OF_THREAD}+thread|${OF_THREAD}*threads)(?:\\s+(?:each|of (?:its|their) own))?`;
const THREAD_AT_END = new RegExp(`[\\s,]+${IN_THREAD}(?:,?\\s+(?:each|please))*$`, 'i');
const THREAD_AT_START = new RegExp(`^[\\s,]*${IN_THREAD}\\b[\\s,:]*`, 'i');
const BY_AGENT_AT_END = /\s+(?:with|using|by)\s+an?\s+(?:new\s+)?sub-?agent$/i;
const AFTERWARDS =
  /,?\s+and\s+(?:then\s+)?(?:tell|report|let|come back|give|send|say|share|show|post|write)\b.*$/is;
const SEVERAL_AT_END = /[\s,]+(?:each|separately|in parallel|at once|at the same time)$/i;
const TASK_LEAD = /^[\s,:–-]*(?:(?:to|for|that|which|who|and have (?:it|them))\s+)?/i;

function withoutThread(text: string): {
  readonly text: string;
  readonly isInThread: boolean;
  readonly isPlural: boolean;
} {
  const end = THREAD_AT_END.exec(text) ?? THREAD_AT_START.exec(text);
  if (!end) return { text, isInThread: false, isPlural: false };
  const rest = end.index === 0 ? text.slice(end[0].length) : text.slice(0, end.index);
  return { text: rest.trim(), isInThread: true, isPlural: /\bthreads\b|\beach\b|\bown\b/i.test(end[0]) };
}

/** "in a thread, look into X", "open a thread and look into X" and "give X to a subagent" in the order of the rest. */
function reordered(text: string): string {
  const delegated = DELEGATE.exec(text);
  if (delegated) return `look into ${delegated[1]}${delegated[2]}`;
  const opened = OPEN_THREAD.exec(text);
  const front = opened ?? THREAD_AT_START.exec(text);
  if (!front) return text;
  const rest = text.slice(front[0].length);
  const isRequest = RESEARCH.test(rest) || SPAWN.test(rest);
  if (!opened && !isRequest) return text;
  const where = opened ? 'in a thread' : front[0].replace(/[\s,:]+$/, '');
  return `${isRequest ? '' : 'look into '}${rest} ${where}`;
}

/** "look into A and B" as tasks that each keep the verb. */
function separated(task: string): readonly string[] {
  const verb = RESEARCH.exec(task)?.[0] ?? '';
  return splitList(task.slice(verb.length)).map((topic) => `${verb}${topic}`);
}

function repeated(task: string, count: number): readonly string[] {
  const topics = separated(task);
  if (topics.length === count) return topics;
  return Array.from({ length: count }, (_, index) => `${task} (${index + 1} of ${count})`);
}

interface Extent {
  readonly text: string;
  readonly isInThread: boolean;
  readonly isSeveral: boolean;
}

/** The request without where and how many, which people put at its end. */
function extentOf(text: string): Extent {
  const withoutPlace = (candidate: string) => withoutThread(candidate.replace(SEVERAL_AT_END, ''));
  const whole = withoutPlace(text);
  const cut = text.replace(AFTERWARDS, '');
  const placed = whole.isInThread || cut === text ? whole : withoutPlace(cut);
  const found = placed.isInThread ? placed : whole;
  return {
    text: found.text.replace(BY_AGENT_AT_END, ''),
    isInThread: found.isInThread,
    isSeveral: found.isPlural || SEVERAL_AT_END.test(text),
  };
}

function countOf(spawn: RegExpExecArray | null): number | undefined {
  const written = (spawn?.[1] ?? spawn?.[2])?.toLowerCase();
  if (written === undefined) return undefined;
  const count = NUMBERS[written] ?? Number(written);
  return Number.isNaN(count) ? undefined : count;
}

function findSpawn(text: string): Spawns | undefined {
  const ordered = reordered(text);
  const spawn = SPAWN.exec(ordered);
  const lead = spawn ?? RESEARCH.exec(ordered);
  if (!lead) return undefined;
  const extent = extentOf(ordered);
  const front = withoutThread(extent.text.slice(lead[0].length).trimStart());
  const task = front.text.replace(TASK_LEAD, '').trim();
  const isInThread = extent.isInThread || front.isInThread;
  if (task === '') return spawn ? { tasks: [], isInThread } : undefined;
  const count = countOf(spawn) ?? 1;
  if (count > 1) return { tasks: repeated(task, Math.min(count, 100)), isInThread };
  const isPluralSpawn = spawn !== null && /agents$/i.test(spawn[0]);
  const isSeveral = extent.isSeveral || front.isPlural || isPluralSpawn;
  return { tasks: isSeveral ? separated(task) : [task], isInThread };
}

/** `look into A in a thread and look into B` as two requests. */
function findInWhole(text: string): Spawns | undefined {
  const parts = text.split(
    /(?:[,;.]\s*|\s+)(?:and\s+|then\s+|also\s+)+(?=(?:look (?:into|at)|research|investigate|dig into|spawn|start an?)\s)|\n+(?=(?:look into|research|investigate|spawn)\s)/i,
  );
  const requests = parts.map((part) => findSpawn(part.trim()) ?? { tasks: [], isInThread: false });
  const spawns = requests.filter((request) => request.tasks.length > 0);
  if (parts.length < 2 || spawns.length !== parts.length) return findSpawn(text);
  return {
    tasks: spawns.flatMap((request) => request.tasks),
    isInThread: spawns.some((request) => request.isInThread),
  };
}

/** The first line says what to do and where; what follows it are particulars of the task. */
function findInFirstLine(text: string): Spawns | undefined {
  const end = text.indexOf('\n');
  if (end === -1 || end > MAX_PHRASE) return undefined;
  const found = findInWhole(text.slice(0, end).replace(/[\s:.]+$/, ''));
  return found && { ...found, tasks: found.tasks.map((task) => `${task}${text.slice(end)}`) };
}

export function findSpawns(text: string): Spawns | undefined {
  const whole = text.length <= MAX_PHRASE ? findInWhole(text) : undefined;
  if (whole?.isInThread) return whole;
  const first = findInFirstLine(text);
  return first?.isInThread ? first : (whole ?? first);
}
