/** Commands that people put together in Discord, as the grammar knows them. Pure. */
import { ApplicationCommandOptionType } from 'discord.js';
import type { CommandSpec, CompletionChoice, OptionSpec } from '../../../src/core/command-grammar.ts';
import type { GivenCommand } from '../../../src/core/message.ts';
import { shorten } from '../../../src/core/shorten.ts';
import type { CommandData, CommandOption } from '../gateway/events.ts';
import { optionName } from './command-shape.ts';

/** https://docs.discord.com/developers/interactions/application-commands#application-command-object-application-command-option-choice-structure */
const MAX_CHOICES = 25;
const MAX_CHOICE_LENGTH = 100;

export function givenCommand(data: CommandData): GivenCommand {
  const { name, values } = unfolded(data);
  const options = values.map((option) => [option.name, String(option.value ?? '')] as const);
  return { name, options: Object.fromEntries(options) };
}

interface Unfolded {
  readonly name: string;
  readonly values: readonly Omit<CommandOption, 'options'>[];
}

function unfolded({ name, options }: CommandData): Unfolded {
  const sub = options.find(({ type }) => type === ApplicationCommandOptionType.Subcommand);
  return sub ? { name: `${name} ${sub.name}`, values: sub.options ?? [] } : { name, values: options };
}

/** How it would be typed. */
export function typedCommand(given: GivenCommand, specs: readonly CommandSpec[]): string {
  const spec = specs.find(({ name }) => name === given.name);
  const words = Object.entries(spec?.options ?? {}).flatMap(([name, option]) => {
    const value = given.options[optionName(name)] ?? '';
    if (value === '') return [];
    const shown = option.type === 'text' ? value : quoted(value);
    return option.isFlag ? [`--${name}`, shown] : [shown];
  });
  return [`/${given.name}`, ...words].join(' ');
}

export interface TypedSoFar {
  /** Ends in what is being typed. */
  readonly text: string;
  /** What stands before that. */
  readonly before: string;
}

/** The command as far as it is typed, with the option last that is being typed; `undefined` if none is. */
export function typedSoFar(data: CommandData, specs: readonly CommandSpec[]): TypedSoFar | undefined {
  const { name, values } = unfolded(data);
  const spec = specs.find((known) => known.name === name);
  const focused = values.find((option) => option.focused);
  const entry = Object.entries(spec?.options ?? {}).find(([key]) => optionName(key) === focused?.name);
  if (!spec || !focused || !entry) return undefined;
  const [key, option] = entry;
  const words = earlier(spec, key, option, givenCommand(data));
  const before = `${[`/${name}`, ...words].join(' ')} `;
  const typed = String(focused.value ?? '').replaceAll('"', '');
  return { before, text: before + (/\s/.test(typed) ? `"${typed}` : typed) };
}

/** Positional options that come before it count; flags may stand anywhere. */
function earlier(
  { options }: CommandSpec,
  focused: string,
  { isFlag }: OptionSpec,
  given: GivenCommand,
): readonly string[] {
  const words: string[] = [];
  for (const [name, option] of Object.entries(options)) {
    if (name === focused) break;
    const value = given.options[optionName(name)] ?? '';
    if (value !== '' && !option.isFlag) words.push(quoted(value));
  }
  return isFlag ? [...words, `--${focused}`] : words;
}

function quoted(value: string): string {
  return /\s/.test(value) ? `"${value.replaceAll('"', '')}"` : value;
}

export interface ShownChoice {
  readonly name: string;
  readonly value: string;
}

/** Those that complete the option itself; names and flags of the grammar are not Discord's to fill in. */
export function shownChoices(
  choices: readonly CompletionChoice[],
  { before }: TypedSoFar,
): readonly ShownChoice[] {
  return choices
    .filter(({ text }) => text.startsWith(before) && !text.startsWith(`${before}--`))
    .map(({ text, label, summary }) => {
      const value = text.slice(before.length).trim().replaceAll('"', '');
      const name = summary === '' || summary === label ? label : `${label}: ${summary}`;
      return { name: shorten(name, MAX_CHOICE_LENGTH), value };
    })
    .filter(({ value }) => value !== '' && value.length <= MAX_CHOICE_LENGTH)
    .slice(0, MAX_CHOICES);
}
