/** What a chat command is: its description (from which grammar, help and registration follow) and what it does. */
import type { AfterCommit } from '../src/commit.ts';
import type { Address } from '../src/core/address.ts';
import type { Check } from '../src/core/check.ts';
import type { CommandArgs, CommandSpec, OptionSpec } from '../src/core/command-grammar.ts';
import type { Actor } from '../src/core/message.ts';
import type { Binding } from '../src/core/thread-binding.ts';
import type { ChannelDirectory } from '../src/delivery/directory.ts';
import type { CommandReply, InboundMessage } from '../src/ports/channel.ts';
import type { Clock } from '../src/ports/clock.ts';
import type { Ids } from '../src/ports/ids.ts';
import type { ModelDescription, Models } from '../src/ports/model.ts';
import type { Settings } from '../src/ports/settings.ts';
import type { Session, StoreTx } from '../src/ports/store/index.ts';
import type { AnswerMissed } from '../src/runs/answer-missed.ts';
import type { SpawnSubagent } from '../src/subagents/spawn.ts';
import type { Stop } from '../src/subagents/stop.ts';
import type { Focus } from '../src/threads/focus.ts';

export interface CommandServices {
  readonly spawn: SpawnSubagent;
  readonly stop: Stop;
  readonly focus: Focus;
  readonly answerMissed: AnswerMissed;
  readonly models: Models;
  /** What is used where nothing else is chosen, once that is known. */
  defaultModel(): ModelDescription | undefined;
  /** What is wrong with the way the channels are set up; for owners. */
  findings(): readonly Check[];
  readonly directory: ChannelDirectory;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The place and person of one use of a command. All its effects are rows of `tx`. */
export interface CommandContext extends CommandServices {
  readonly tx: StoreTx;
  readonly after: AfterCommit;
  readonly actor: Actor;
  readonly address: Address;
  /** As it came in. */
  readonly message: InboundMessage;
  /** The session of that place: the bound one in a bound thread. */
  readonly session: Session;
  readonly binding?: Binding;
  /** Names this use of the command for good. */
  readonly key: string;
}

export interface Command extends CommandSpec {
  /** `undefined`: what it did speaks for itself (a notice in the thread). */
  run(
    args: Record<string, string | number | undefined>,
    context: CommandContext,
  ): Promise<CommandReply | undefined>;
}

/** A command with its arguments typed from its options. */
export function defineCommand<const O extends Readonly<Record<string, OptionSpec>>>(
  definition: Omit<CommandSpec, 'options'> & {
    readonly options: O;
    run(args: CommandArgs<O>, context: CommandContext): Promise<CommandReply | undefined>;
  },
): Command {
  return definition as unknown as Command;
}

export const say = (text: string): CommandReply => ({ text });
