/**
 * What a command that is being typed could become. Everything is derived from the command descriptions, save for the values
 * that only the running system knows (`values`).
 *
 *   `/ses` → names · `/session ` → second words · `/session idle ` → values of the option · `… --` → flags
 */
import {
  type CommandSpec,
  type CompletionChoice,
  type CompletionSource,
  type OptionSpec,
  readValue,
} from './command-grammar.ts';
import { nameWord, sigilLength, type Token, tokenize } from './command-words.ts';

export interface CompletionValue {
  readonly value: string;
  readonly summary: string;
  /** It is offered too when one of these begins as what is typed. */
  readonly alias?: readonly string[];
}
type Values = (source: CompletionSource) => readonly CompletionValue[];

/** As many as Discord shows. */
const MOST_CHOICES = 25;

const DURATIONS: readonly CompletionValue[] = [
  { value: '30m', summary: '30 minutes' },
  { value: '1h', summary: '1 hour' },
  { value: '4h', summary: '4 hours' },
  { value: '1d', summary: '1 day' },
  { value: 'off', summary: 'no limit' },
];

/** Choices for the last word of `text`, at most 25, in the order of the descriptions; none when it is not a command. */
export function completeCommand(
  text: string,
  specs: readonly CommandSpec[],
  values: Values,
): CompletionChoice[] {
  const choices = new Map<string, CompletionChoice>();
  for (const choice of allChoices(text, specs, values)) {
    if (choices.size === MOST_CHOICES) break;
    if (!choices.has(choice.text)) choices.set(choice.text, choice);
  }
  return [...choices.values()];
}

function* allChoices(
  text: string,
  specs: readonly CommandSpec[],
  values: Values,
): Generator<CompletionChoice> {
  const nameAt = sigilLength(text);
  if (nameAt === 0) return;
  const first = nameWord(text, nameAt);
  if (first.next === nameAt + first.word.length) {
    yield* firstWords(text.slice(0, nameAt), first.word, specs);
    return;
  }
  const second = nameWord(text, first.next);
  const isSecondDone = second.next > first.next + second.word.length;
  if (!isSecondDone) yield* secondWords(text, first, second.word, specs);
  const pair = isSecondDone && specs.find((spec) => spec.name === `${first.word} ${second.word}`);
  const spec = pair || specs.find((single) => single.name === first.word);
  if (spec) yield* optionChoices(text, pair ? second.next : first.next, spec, values);
}

function* firstWords(
  before: string,
  typed: string,
  specs: readonly CommandSpec[],
): Generator<CompletionChoice> {
  for (const { name } of specs) {
    const word = name.split(' ')[0]!;
    if (!word.startsWith(typed)) continue;
    const spec = specs.find((other) => other.name === word);
    const below = specs.filter((other) => other.name.startsWith(`${word} `));
    const isMore = below.length > 0 || Object.keys(spec?.options ?? {}).length > 0;
    const summary = spec?.summary ?? below.map((other) => other.name.slice(word.length + 1)).join(', ');
    yield { text: before + word + (isMore ? ' ' : ''), label: before.trimStart() + word, summary };
  }
}

function* secondWords(
  text: string,
  first: { readonly word: string; readonly next: number },
  typed: string,
  specs: readonly CommandSpec[],
): Generator<CompletionChoice> {
  for (const { name, options, summary } of specs) {
    if (!name.startsWith(`${first.word} ${typed}`)) continue;
    const word = name.slice(first.word.length + 1);
    const isMore = Object.keys(options).length > 0;
    yield { text: text.slice(0, first.next) + word + (isMore ? ' ' : ''), label: `/${name}`, summary };
  }
}

/** The word at the end of the text, which is being completed, and the words before it. */
function lastWord(text: string, from: number): { done: Token[]; typed: string; start: number } {
  const tokens = tokenize(text, from);
  const openQuote = tokens.findIndex((token) => !token.isQuoted && token.value.startsWith('"'));
  if (openQuote >= 0) {
    const { start } = tokens[openQuote]!;
    return { done: tokens.slice(0, openQuote), typed: text.slice(start + 1), start };
  }
  const last = tokens.at(-1);
  if (!last || last.isQuoted || last.end < text.length)
    return { done: tokens, typed: '', start: text.length };
  return { done: tokens.slice(0, -1), typed: last.value, start: last.start };
}

function* optionChoices(
  text: string,
  from: number,
  spec: CommandSpec,
  values: Values,
): Generator<CompletionChoice> {
  const { done, typed, start } = lastWord(text, from);
  const { awaited, unused, positional } = readTyped(spec, done);
  const matching = function* (option: OptionSpec, isMore: boolean): Generator<CompletionChoice> {
    for (const { value, summary, alias = [] } of valuesOf(option, values)) {
      if (![value, ...alias].some((name) => name.toLowerCase().startsWith(typed.toLowerCase()))) continue;
      const word = /\s/.test(value) ? `"${value}"` : value;
      yield { text: text.slice(0, start) + word + (isMore ? ' ' : ''), label: value, summary };
    }
  };
  if (awaited) {
    yield* matching(awaited, positional.length + unused.length > 0);
    return;
  }
  for (const [i, option] of positional.entries()) {
    yield* matching(option, positional.length - i - 1 + unused.length > 0);
    // Only an optional one can be left out in favour of the next.
    if (option.isRequired) break;
  }
  if (typed === '' ? positional.length > 0 : !typed.startsWith('-')) return;
  for (const [name, option] of unused) {
    if (!`--${name}`.startsWith(typed.toLowerCase())) continue;
    yield { text: `${text.slice(0, start)}--${name} `, label: `--${name}`, summary: option.summary };
  }
}

interface Typed {
  /** The flag whose value comes next. */
  readonly awaited?: OptionSpec;
  readonly unused: readonly [string, OptionSpec][];
  /** Those that may still be given, in order; a `text` option takes all that is left and stays. */
  readonly positional: readonly OptionSpec[];
}

function readTyped(spec: CommandSpec, done: readonly Token[]): Typed {
  const unused = new Map(Object.entries(spec.options).filter(([, option]) => option.isFlag));
  let positional = Object.values(spec.options).filter((option) => !option.isFlag);
  let awaited: OptionSpec | undefined;
  for (const token of done) {
    const name = token.isQuoted ? '' : token.value.replace(/^--/, '').toLowerCase();
    const flag = token.value.startsWith('--') ? unused.get(name) : undefined;
    if (awaited) awaited = undefined;
    else if (flag) {
      awaited = flag;
      unused.delete(name);
    } else {
      const taker = positional.findIndex(
        (option) => option.isRequired || readValue(option, token.value) !== undefined,
      );
      if (taker >= 0) positional = positional.slice(positional[taker]!.type === 'text' ? taker : taker + 1);
    }
  }
  return { ...(awaited && { awaited }), unused: [...unused], positional };
}

function valuesOf(option: OptionSpec, values: Values): readonly CompletionValue[] {
  if (option.choices) {
    return option.choices.map((value) => ({ value, summary: option.meanings?.[value] ?? option.summary }));
  }
  if (option.type === 'duration') return DURATIONS;
  return option.completes ? values(option.completes) : [];
}
