/**
 * What a person asks for, as far as the stand-in understands it. Plain patterns over one message; anything they do not
 * cover is `other`, which is answered with what can be said instead.
 */
import { splitList } from './topics.ts';

export type PersonRequest =
  | { readonly kind: 'spawn'; readonly tasks: readonly string[]; readonly isInThread: boolean }
  | { readonly kind: 'spawn-without-task' }
  | { readonly kind: 'tell'; readonly label: string; readonly message: string }
  | { readonly kind: 'report' }
  | { readonly kind: 'go-on' }
  | { readonly kind: 'greeting' }
  | { readonly kind: 'help' }
  | { readonly kind: 'other'; readonly text: string };

/** `**`, quotes, an address and courtesies in front of the request proper. */
const LEAD =
  /^(?:(?:hey|hi|hello|ok|okay|please|pls|now|then|also|and|just|kindly|skein|<?@[\w!&|-]+>?|(?:could|can|would|will) you|i(?:'d| would)? (?:want|like) you to|let'?s|go(?: ahead)?(?: and)?)[,:!]?\s+)+/i;

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
  `^(?:spawn|start|launch|create|open|make|use|run)\\s+(?:${COUNT}\\s+)?(?:new\\s+)?(?:sub-?\\s?agents?|agents?)\\b`,
  'i',
);
const RESEARCH =
  /^(?:look (?:into|at|up)|have a look (?:into|at)|take a look (?:into|at)|research|investigate|explore|dig into|study|find out(?: about)?|check out)\s+/i;

const OF_THREAD = '(?:(?:a|an|its|their|his|her|own|new|separate|different|another|one|each|fresh)\\s+)';
const IN_THREAD = `(?:each\\s+)?(?:in|with|inside|using)\\s+(?:${OF_THREAD}+thread|${OF_THREAD}*threads)(?:\\s+(?:each|of (?:its|their) own))?`;
const THREAD_AT_END = new RegExp(`[\\s,]+${IN_THREAD}(?:,?\\s+(?:each|please))*$`, 'i');
const THREAD_AT_START = new RegExp(`^[\\s,]*${IN_THREAD}\\b[\\s,:]*`, 'i');
const SEVERAL_AT_END = /[\s,]+(?:each|separately|in parallel|at once|at the same time)$/i;
const TASK_LEAD = /^[\s,:–-]*(?:(?:to|for|that|which|who|and have (?:it|them))\s+)?/i;

const GO_ON = /^(?:go on|go ahead|continue|carry on|keep going|more|next|tell me more|and then\??)$/i;
const REPORT =
  /^(?:(?:give me |show me |send )?(?:a |an |the |your )?(?:short |brief |quick )?(?:status|progress|report|summary)(?: (?:report|update|please))?|summari[sz]e(?: .{0,40})?|report back|results?|what(?:'s| is) the status|(?:so )?what (?:have|did) (?:you|they|it) (?:found|find|got|get)(?: out)?(?: so far)?|any (?:news|results|updates?)|how(?:'s| is| are) (?:it|they|things) going)$/i;
const HELP = /^(?:help|what can you do|what do you (?:do|understand)|how does (?:this|it) work)$/i;
const GREETING = /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|yo|moin|hallo)(?: (?:there|skein))?$/i;
const TELL = /^(?:ask|tell)\s+(?:the\s+)?(?:subagent\s+)?["“]?(.+?)["”]?\s+to\s+(.+)$/is;

function withoutEnd(text: string): string {
  return text
    .replace(/[\s.!?…]+$/, '')
    .replace(/,?\s+(?:please|pls|thanks|thank you)$/i, '')
    .trim();
}

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

function repeated(task: string, count: number): readonly string[] {
  const topics = splitList(task);
  if (topics.length === count) return topics;
  return Array.from({ length: count }, (_, index) => `${task} (${index + 1} of ${count})`);
}

function spawnRequest(text: string): PersonRequest | undefined {
  const spawn = SPAWN.exec(text);
  const lead = spawn ?? RESEARCH.exec(text);
  if (!lead) return undefined;
  const several = SEVERAL_AT_END.exec(text);
  const trimmed = withoutThread(several ? text.slice(0, several.index) : text);
  const before = withoutThread(trimmed.text.slice(lead[0].length).trimStart());
  const task = before.text.replace(TASK_LEAD, '').trim();
  const isInThread = trimmed.isInThread || before.isInThread;
  if (task === '') return spawn ? { kind: 'spawn-without-task' } : undefined;
  const counted = spawn?.[1]?.toLowerCase();
  const count = counted === undefined ? undefined : (NUMBERS[counted] ?? Number(counted));
  if (count !== undefined && count > 1) return { kind: 'spawn', tasks: repeated(task, count), isInThread };
  const isPluralSpawn = spawn !== null && /agents$/i.test(spawn[0]);
  const isSeveral = several !== null || trimmed.isPlural || before.isPlural || isPluralSpawn;
  return { kind: 'spawn', tasks: isSeveral ? splitList(task) : [task], isInThread };
}

/** `look into A in a thread and look into B` as two requests. */
function spawnRequests(text: string): PersonRequest | undefined {
  const parts = text.split(
    /(?:[,;.]\s*|\s+)(?:and\s+|then\s+|also\s+)+(?=(?:look (?:into|at)|research|investigate|dig into|spawn|start an?)\s)|\n+(?=(?:look into|research|investigate|spawn)\s)/i,
  );
  const requests = parts.map((part) => spawnRequest(part.trim()));
  const spawns = requests.filter((request) => request?.kind === 'spawn');
  if (parts.length < 2 || spawns.length !== parts.length) return spawnRequest(text);
  return {
    kind: 'spawn',
    tasks: spawns.flatMap((request) => request.tasks),
    isInThread: spawns.some((request) => request.isInThread),
  };
}

/** `text` without marks of who wrote it. */
export function understand(text: string): PersonRequest {
  const bare = withoutEnd(text);
  if (GREETING.test(bare)) return { kind: 'greeting' };
  const request = withoutEnd(bare.replace(LEAD, ''));
  const plain = request.replace(/\s+/g, ' ');
  if (GO_ON.test(plain) || GO_ON.test(bare)) return { kind: 'go-on' };
  if (REPORT.test(plain)) return { kind: 'report' };
  if (HELP.test(plain) || plain === '') return { kind: 'help' };
  const spawn = spawnRequests(request);
  if (spawn) return spawn;
  const tell = TELL.exec(request);
  if (tell?.[1] && tell[2]) return { kind: 'tell', label: tell[1].trim(), message: tell[2].trim() };
  return { kind: 'other', text: text.trim() };
}
