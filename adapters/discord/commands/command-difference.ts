/** What has to be written so that Discord has exactly the wanted commands. What it fills in by itself makes no difference. Pure. */
import { ApplicationCommandType } from 'discord.js';
import type { CommandShape, OptionShape } from './command-shape.ts';

export interface RegisteredCommand {
  readonly id: string;
  readonly type: number;
  readonly name: string;
  readonly [field: string]: unknown;
}

export interface CommandChanges {
  readonly made: readonly CommandShape[];
  readonly changed: readonly { readonly id: string; readonly shape: CommandShape }[];
  /** Ids. */
  readonly removed: readonly string[];
}

export function changedCommands(
  wanted: readonly CommandShape[],
  there: readonly RegisteredCommand[],
): CommandChanges {
  const ours = there.filter(({ type }) => type === ApplicationCommandType.ChatInput);
  const byName = new Map(ours.map((command) => [command.name, command]));
  return {
    made: wanted.filter(({ name }) => !byName.has(name)),
    changed: wanted.flatMap((shape) => {
      const command = byName.get(shape.name);
      return command && isDifferent(shape, command) ? [{ id: command.id, shape }] : [];
    }),
    removed: ours.filter(({ name }) => wanted.every((shape) => shape.name !== name)).map(({ id }) => id),
  };
}

function isDifferent(shape: CommandShape, command: RegisteredCommand): boolean {
  return (
    JSON.stringify(plainCommand(shape)) !== JSON.stringify(plainCommand(command as Partial<CommandShape>))
  );
}

/** Everything that we decide, in one order, with what Discord takes when nothing is said. */
function plainCommand(command: Partial<CommandShape>): unknown {
  const { description = '', options, default_member_permissions, contexts } = command;
  const permissions = String(default_member_permissions ?? '');
  return [description, plainOptions(options), permissions, [...(contexts ?? [])].sort()];
}

function plainOptions(options: readonly OptionShape[] | undefined): unknown {
  return (options ?? []).map((option) => {
    const { type, name, description, required = false, autocomplete = false } = option;
    const choices = (option.choices ?? []).map((choice) => [choice.name, choice.value]);
    const { min_value = null, max_value = null } = option;
    const within = plainOptions(option.options);
    return [type, name, description, required, autocomplete, choices, min_value, max_value, within];
  });
}
