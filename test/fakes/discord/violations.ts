/** What the bot's requests break of Discord's published description and of the rules that it leaves out. */
import { createDiscordOpenapi } from '../../support/discord-openapi.ts';
import type { JournalEntry } from './journal.ts';
import { brokenMessage, brokenThreadName, loneSurrogate } from './message-rules.ts';
import type { Json } from './world.ts';

export interface Violation {
  /** `openapi` and `rule` are the bot's fault; `fake` is a fault of this fake. */
  readonly source: 'openapi' | 'rule' | 'fake';
  /** `METHOD /path`. */
  readonly call: string;
  readonly problem: string;
}

export interface ViolationLog {
  readonly list: readonly Violation[];
  check(entry: JournalEntry): void;
  report(source: Violation['source'], call: string, problem: string): void;
}

const ACTIONS_ON_MESSAGES =
  /^(POST|PATCH) \/(channels\/\d+\/messages(\/\d+)?|webhooks\/\d+\/[^/]+(\/messages\/[^/]+)?)$/;
const CALLBACK = /^POST \/interactions\/\d+\/[^/]+\/callback$/;
const THREAD_START = /^POST \/channels\/\d+(\/messages\/\d+)?\/threads$/;
const COMMANDS = /^(POST|PUT|PATCH) \/applications\/\d+(\/guilds\/\d+)?\/commands(\/\d+)?$/;

/** The part of the body that is a message. */
function messageIn(call: string, body: Json): Json | undefined {
  if (ACTIONS_ON_MESSAGES.test(call)) return body;
  if (CALLBACK.test(call) && [4, 7].includes(Number(body.type))) return (body.data ?? {}) as Json;
  if (THREAD_START.test(call)) return (body.message ?? {}) as Json;
  return undefined;
}

/** Capital letters in the names of commands and options, at any depth. */
function capitals(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(capitals);
  if (typeof value !== 'object' || value === null) return [];
  const { name, options, type } = value as Json;
  const own = typeof name === 'string' && name !== name.toLowerCase() && type !== 2 && type !== 3;
  return [...(own ? [`the name ${name} has capitals`] : []), ...capitals(options)];
}

function brokenRules({ method, path, body }: JournalEntry): readonly string[] {
  const call = `${method} ${path}`;
  const problems: string[] = [];
  const surrogate = loneSurrogate(body);
  if (surrogate !== undefined) problems.push(`${surrogate} holds half a surrogate pair`);
  if (COMMANDS.test(call)) problems.push(...capitals(body));
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return problems;
  const message = messageIn(call, body as Json);
  const broken = message ? [...brokenMessage(message)] : [];
  if (THREAD_START.test(call)) broken.push(...brokenThreadName((body as Json).name));
  return [...problems, ...broken.map(({ field, problem }) => `${field}: ${problem}`)];
}

export function createViolationLog(): ViolationLog {
  const openapi = createDiscordOpenapi();
  const list: Violation[] = [];
  return {
    list,
    report: (source, call, problem) => list.push({ source, call, problem }),
    check: (entry) => {
      const call = `${entry.method} ${entry.path}`;
      for (const problem of openapi.check(entry)) list.push({ source: 'openapi', call, problem });
      for (const problem of brokenRules(entry)) list.push({ source: 'rule', call, problem });
    },
  };
}
