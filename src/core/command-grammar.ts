/**
 * The one grammar of chat commands. A command is described once, as data; text parsing, usage lines, completion, help and
 * the registration on platforms are all derived from that description.
 *
 *   text → parseCommand → { spec, args }          a command, ready to run
 *                       → { spec, problem }       a command with wrong arguments: answer the usage line
 *                       → undefined               not a command: it is meant for the agent
 */
import { nameWord, sigilLength, type Token, tokenize } from './command-words.ts';
import { parseDuration } from './duration.ts';
import type { GivenCommand } from './message.ts';

/** What an option completes from, where its values are not fixed. */
export type CompletionSource =
  | 'subagent'
  | 'active-subagent'
  | 'session'
  | 'agent'
  | 'model'
  | 'command'
  | 'pairing'
  | 'interrupted-run';

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
  /** What each choice means, for completion; the summary where nothing is said. */
  readonly meanings?: Readonly<Record<string, string>>;
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
  /** Of commands with the same first word, the one that is meant by that word alone; it takes no arguments. */
  readonly isUsual?: boolean;
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

/** `/session idle [duration]` */
export function usage(spec: CommandSpec): string {
  const words = Object.entries(spec.options).map(([name, option]) => {
    const shown = option.choices ? option.choices.join('|') : name;
    if (option.isFlag) return `[--${name} <${shown}>]`;
    return option.isRequired ? `<${shown}>` : `[${shown}]`;
  });
  return [`/${spec.name}`, ...words].join(' ');
}

/** The one line that is said where it was not given like that; it tells how durations are written. */
function correction(spec: CommandSpec): string {
  const durations = Object.values(spec.options).filter(({ type }) => type === 'duration');
  return [`Usage: ${usage(spec)}`, ...durations.map(({ summary }) => `(${summary})`)].join(' ');
}

/** Whether the text begins as one of these commands does; cheap enough for every message. */
export function parseCommand<S extends CommandSpec>(
  text: string,
  specs: readonly S[],
): ParsedCommand<S> | undefined {
  const nameAt = sigilLength(text);
  if (nameAt === 0) return undefined;
  const first = nameWord(text, nameAt);
  if (!/^[a-z]/.test(first.word)) return undefined;
  const second = nameWord(text, first.next);
  const pair = specs.find((spec) => spec.name === `${first.word} ${second.word}`);
  const exact = pair ?? specs.find((spec) => spec.name === first.word);
  if (exact) {
    const result = readOptions(exact, text, tokenize(text, pair ? second.next : first.next));
    return typeof result === 'string' ? { spec: exact, problem: result } : { spec: exact, args: result };
  }
  const siblings = specs.filter((spec) => spec.name.startsWith(`${first.word} `));
  if (siblings.length === 0) return undefined;
  const usual = second.word === '' ? siblings.find((spec) => spec.isUsual) : undefined;
  if (usual) return { spec: usual, args: {} };
  const words = siblings.map((spec) => spec.name.slice(first.word.length + 1)).join('|');
  return { spec: siblings[0]!, problem: `Usage: /${first.word} <${words}>` };
}

/** A command that the platform let somebody put together; `undefined` when there is none of that name (any more). */
export function readGivenCommand<S extends CommandSpec>(
  given: GivenCommand,
  specs: readonly S[],
): ParsedCommand<S> | undefined {
  const spec = specs.find(({ name }) => name === given.name);
  if (!spec) return undefined;
  const args: Args = {};
  for (const [name, option] of Object.entries(spec.options)) {
    // Platforms may know it in small letters only.
    const word = given.options[name] ?? given.options[name.toLowerCase()] ?? '';
    const value = option.type === 'text' ? word || undefined : readValue(option, word);
    if (value !== undefined) args[name] = value;
    else if (word !== '' || option.isRequired) return { spec, problem: correction(spec) };
  }
  return { spec, args };
}

type Args = Record<string, string | number | undefined>;

/** The arguments, or the usage line when they are not as described. */
function readOptions(spec: CommandSpec, text: string, tokens: readonly Token[]): Args | string {
  const flags = readFlags(spec, tokens);
  const args = flags && readPositional(spec, text, flags.rest);
  return args ? { ...flags.args, ...args } : correction(spec);
}

/** Flags may stand anywhere, also in the middle of a `text` option. */
function readFlags(spec: CommandSpec, tokens: readonly Token[]): { args: Args; rest: Token[] } | undefined {
  const args: Args = {};
  const rest: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    const name = !token.isQuoted && token.value.startsWith('--') ? token.value.slice(2).toLowerCase() : '';
    const flag = Object.hasOwn(spec.options, name) ? spec.options[name] : undefined;
    if (!flag?.isFlag) {
      rest.push(token);
      continue;
    }
    const value = readValue(flag, tokens[++i]?.value ?? '');
    if (value === undefined) return undefined;
    args[name] = value;
  }
  return { args, rest };
}

/** In order; an optional one that the next word does not fit is left out. */
function readPositional(spec: CommandSpec, text: string, tokens: readonly Token[]): Args | undefined {
  const args: Args = {};
  let taken = 0;
  for (const [name, option] of Object.entries(spec.options)) {
    if (option.isFlag) continue;
    const rest = tokens.slice(taken);
    const isText = option.type === 'text';
    const value = isText ? sliceText(text, rest) || undefined : readValue(option, rest[0]?.value ?? '');
    if (value !== undefined) {
      args[name] = value;
      taken = isText ? tokens.length : taken + 1;
    } else if (option.isRequired) return undefined;
  }
  return taken < tokens.length ? undefined : args;
}

/** The original text from the first of the tokens on, without flags that stood in between. */
function sliceText(text: string, tokens: readonly Token[]): string {
  const [first, ...others] = tokens;
  if (!first) return '';
  if (first.isQuoted && others.length === 0) return first.value;
  let slice = text.slice(first.start, first.end);
  let end = first.end;
  for (const token of others) {
    const gap = text.slice(end, token.start);
    // Of the space around a flag, the part before it stays.
    slice += (/^\s+/.exec(gap)?.[0] ?? '') + text.slice(token.start, token.end);
    end = token.end;
  }
  return slice;
}

/** The word as a value of the option; `undefined` when it does not fit. */
export function readValue(option: OptionSpec, word: string): string | number | undefined {
  if (word === '') return undefined;
  if (option.choices && !option.choices.includes(word.toLowerCase())) return undefined;
  if (option.type === 'integer') return /^\d{1,9}$/.test(word) ? Number(word) : undefined;
  if (option.type === 'duration') return parseDuration(word);
  return option.choices ? word.toLowerCase() : word;
}
