/**
 * Commands without a slash behind a mention: `@bot stop`, `@bot session idle 2h`. Only what can hardly be meant for the agent
 * counts: nothing of it may be words of somebody's own, save behind a name of two words. Pure.
 */
import { type CommandSpec, type OptionSpec, type ParsedCommand, parseCommand } from './command-grammar.ts';
import { sigilLength } from './command-words.ts';

/** `undefined`: it is meant for the agent. */
export function parseBareCommand<S extends CommandSpec>(
  text: string,
  specs: readonly S[],
): ParsedCommand<S> | undefined {
  if (sigilLength(text) > 0) return undefined;
  const parsed = parseCommand(`/${text.trimStart()}`, specs);
  if (!parsed || 'problem' in parsed) return undefined;
  const { spec, args } = parsed;
  const isOwnWords = Object.entries(spec.options).some(
    ([name, option]) => args[name] !== undefined && takesAnything(option),
  );
  return isOwnWords && !spec.name.includes(' ') ? undefined : parsed;
}

function takesAnything({ type, choices }: OptionSpec): boolean {
  return choices === undefined && (type === 'word' || type === 'text');
}
