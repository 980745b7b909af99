/**
 * The one grammar of chat commands. A command is described once, as data; text parsing, usage lines, completion, help and
 * the registration on platforms are all derived from that description.
 *
 *   text → parseCommand → { spec, args }          a command, ready to run
 *                       → { spec, problem }       a command with wrong arguments: answer the usage line
 *                       → undefined               not a command: it is meant for the agent
 */
import { parseDuration } from './duration.ts';

/** What an option completes from, where its values are not fixed. */
export type CompletionSource = 'subagent' | 'session' | 'agent' | 'model' | 'command';

/**
 * - `word`: one word, or several in double quotes. `text`: everything up to the end (only as the last positional).
 * - `duration`: milliseconds, 0 for `off`. `integer`: a whole number of at least 0.
 */
export type OptionType = 'word' | 'text' | 'integer' | 'duration';

export interface OptionSpec {
  readonly summary: string;
  readonly type: OptionType;
  readonly isRequired?: boolean;
  /** `--name value` instead of by position. */
  readonly isFlag?: boolean;
  readonly choices?: readonly string[];
  readonly completes?: CompletionSource;
}

export type CommandPermission =
  /** Anyone who may talk to the bot there. */
  | 'authorized'
  /** The person who bound the thread, or an owner; `run` enforces it, since it knows the binding. */
  | 'binder'
  | 'owner';

export interface CommandSpec {
  /** One or two words: `status`, `session idle`. */
  readonly name: string;
  readonly summary: string;
  /** Positional options come first, in this order. */
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly permission: CommandPermission;
  readonly where: 'anywhere' | 'thread';
}

type OptionValue<O extends OptionSpec> = O['type'] extends 'integer' | 'duration' ? number : string;
export type CommandArgs<O extends Readonly<Record<string, OptionSpec>>> = {
  readonly [K in keyof O]: O[K] extends { readonly isRequired: true }
    ? OptionValue<O[K]>
    : OptionValue<O[K]> | undefined;
};

export type ParsedCommand<S extends CommandSpec> =
  | { readonly spec: S; readonly args: Record<string, string | number | undefined> }
  | { readonly spec: S; readonly problem: string };

export interface CompletionChoice {
  /** What the whole input becomes when the choice is taken. */
  readonly text: string;
  readonly label: string;
  readonly summary: string;
}

const SIGIL = /^\s*[/!](?=[a-z])/i;
const TOKEN = /"([^"]*)"|(\S+)/gy;

/** A word, and where it stood, so that `text` options keep the original spacing. */
interface Token {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

function tokenize(text: string, from: number): Token[] {
  const tokens: Token[] = [];
  let at = from;
  while (at < text.length) {
    if (/\s/.test(text[at]!)) {
      at++;
      continue;
    }
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) break;
    tokens.push({ value: match[1] ?? match[2]!, start: at, end: TOKEN.lastIndex });
    at = TOKEN.lastIndex;
  }
  return tokens;
}

/** `/session idle [duration]` */
export function usage(spec: CommandSpec): string {
  const words = Object.entries(spec.options).map(([name, option]) => {
    const shown = option.choices ? option.choices.join('|') : name;
    if (option.isFlag) return `[--${name} <${shown}>]`;
    return option.isRequired ? `<${shown}>` : `[${shown}]`;
  });
  return [`/${spec.name}`, ...words].join(' ');
}

/** Whether the text begins as one of these commands does; cheap enough for every message. */
export function parseCommand<S extends CommandSpec>(
  text: string,
  specs: readonly S[],
): ParsedCommand<S> | undefined {
  const sigil = SIGIL.exec(text);
  if (!sigil) return undefined;
  const tokens = tokenize(text, sigil[0].length);
  const first = tokens[0]!.value.replace(/:$/, '').toLowerCase();
  const second = tokens[1]?.value.toLowerCase();
  const exact =
    specs.find((spec) => spec.name === `${first} ${second}`) ?? specs.find((spec) => spec.name === first);
  if (exact) {
    const isPair = exact.name.includes(' ');
    const rest = tokens.slice(isPair ? 2 : 1);
    const result = readOptions(exact, text, rest);
    return typeof result === 'string' ? { spec: exact, problem: result } : { spec: exact, args: result };
  }
  const siblings = specs.filter((spec) => spec.name.startsWith(`${first} `));
  if (siblings.length === 0) return undefined;
  const words = siblings.map((spec) => spec.name.slice(first.length + 1)).join('|');
  return { spec: siblings[0]!, problem: `Usage: /${first} <${words}>` };
}

function readOptions(
  spec: CommandSpec,
  text: string,
  tokens: readonly Token[],
): Record<string, string | number | undefined> | string {
  const usageLine = `Usage: ${usage(spec)}`;
  const args: Record<string, string | number | undefined> = {};
  const flags = new Map(Object.entries(spec.options).filter(([, option]) => option.isFlag));
  const positional: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    const name = token.value.startsWith('--') ? token.value.slice(2).toLowerCase() : '';
    const flag = flags.get(name);
    if (!flag) {
      positional.push(token);
      continue;
    }
    const value = tokens[++i];
    if (!value) return usageLine;
    const read = readValue(flag, value.value);
    if (read === undefined) return usageLine;
    args[name] = read;
  }
  const fixed = Object.entries(spec.options).filter(([, option]) => !option.isFlag);
  let taken = 0;
  for (const [name, option] of fixed) {
    const token = positional[taken];
    if (!token) {
      if (option.isRequired) return usageLine;
      continue;
    }
    if (option.type === 'text') {
      args[name] = sliceText(text, positional.slice(taken));
      taken = positional.length;
      continue;
    }
    const read = readValue(option, token.value);
    if (read === undefined) return usageLine;
    args[name] = read;
    taken++;
  }
  return taken < positional.length ? usageLine : args;
}

/** The original text from the first of the tokens on, without flags that stood in between. */
function sliceText(text: string, tokens: readonly Token[]): string {
  const pieces: string[] = [];
  let from = tokens[0]!.start;
  let end = from;
  for (const [i, token] of tokens.entries()) {
    if (i > 0 && /\S/.test(text.slice(end, token.start))) {
      pieces.push(text.slice(from, end));
      from = token.start;
    }
    end = token.end;
  }
  pieces.push(text.slice(from, end));
  const joined = pieces.join(' ');
  const quoted = tokens.length === 1 && joined.startsWith('"') && joined.endsWith('"') && joined.length > 1;
  return quoted ? joined.slice(1, -1) : joined;
}

function readValue(option: OptionSpec, word: string): string | number | undefined {
  if (option.choices && !option.choices.includes(word.toLowerCase())) return undefined;
  if (option.type === 'integer') return /^\d{1,9}$/.test(word) ? Number(word) : undefined;
  if (option.type === 'duration') return parseDuration(word);
  return option.choices ? word.toLowerCase() : word;
}
