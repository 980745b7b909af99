/**
 * Commands as Discord registers them: two words become a subcommand, everything else follows from the description. Pure.
 *
 * https://docs.discord.com/developers/interactions/application-commands
 */
import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  InteractionContextType,
  PermissionFlagsBits,
} from 'discord.js';
import type { CommandSpec, OptionSpec } from '../../../src/core/command-grammar.ts';
import { shorten } from '../../../src/core/shorten.ts';

export interface OptionShape {
  readonly type: number;
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  readonly choices?: readonly { readonly name: string; readonly value: string | number }[];
  readonly autocomplete?: boolean;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly options?: readonly OptionShape[];
}

export interface CommandShape {
  readonly type: number;
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionShape[];
  /** Bits; null: everybody. Who may do what is decided by us in any case. Answers have them in decimal. */
  readonly default_member_permissions: number | null;
  readonly contexts: readonly number[];
}

/** Discord's limits. */
const MAX_DESCRIPTION = 100;
const MAX_CHOICES = 25;
/** What the grammar reads as a whole number. */
const MAX_INTEGER = 999_999_999;
const CONTEXTS = [InteractionContextType.Guild, InteractionContextType.BotDM];

export function commandShapes(specs: readonly CommandSpec[]): readonly CommandShape[] {
  const groups = Map.groupBy(specs, ({ name }) => name.split(' ')[0]!);
  return [...groups].map(([name, group]) => commandShape(name, group));
}

function commandShape(name: string, group: readonly CommandSpec[]): CommandShape {
  const single = group.find((spec) => spec.name === name);
  const isForOwners = group.every(({ permission }) => permission === 'owner');
  return {
    type: ApplicationCommandType.ChatInput,
    name,
    description: describe(single?.summary ?? group.map((spec) => secondWord(spec)).join(', ')),
    options: single ? optionShapes(single) : group.map(subcommandShape),
    default_member_permissions: isForOwners ? Number(PermissionFlagsBits.ManageGuild) : null,
    contexts: CONTEXTS,
  };
}

function subcommandShape(spec: CommandSpec): OptionShape {
  return {
    type: ApplicationCommandOptionType.Subcommand,
    name: secondWord(spec),
    description: describe(spec.summary),
    options: optionShapes(spec),
  };
}

function secondWord({ name }: CommandSpec): string {
  return name.slice(name.indexOf(' ') + 1);
}

/** Required ones come first, as Discord wants it. */
function optionShapes({ options }: CommandSpec): readonly OptionShape[] {
  const shapes = Object.entries(options).map(([name, option]) => optionShape(name, option));
  return [...shapes.filter(({ required }) => required), ...shapes.filter(({ required }) => !required)];
}

function optionShape(name: string, option: OptionSpec): OptionShape {
  const isInteger = option.type === 'integer';
  const choices = option.choices?.slice(0, MAX_CHOICES).map((value) => ({ name: value, value }));
  const completes = !choices && !isInteger && (option.completes !== undefined || option.type === 'duration');
  return {
    type: isInteger ? ApplicationCommandOptionType.Integer : ApplicationCommandOptionType.String,
    name: optionName(name),
    description: describe(option.summary),
    required: option.isRequired ?? false,
    ...(choices && { choices }),
    ...(completes && { autocomplete: true }),
    ...(isInteger && { min_value: 0, max_value: MAX_INTEGER }),
  };
}

/** Discord knows small letters only. */
export function optionName(name: string): string {
  return name.toLowerCase();
}

function describe(summary: string): string {
  return shorten(summary, MAX_DESCRIPTION);
}
