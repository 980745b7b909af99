import { usage } from '../src/core/command-grammar.ts';
import { type Command, defineCommand, say } from './command.ts';

/** Lists the commands from their own definitions, itself included. */
export function createHelp(others: readonly Command[]): Command {
  const help: Command = defineCommand({
    name: 'help',
    summary: 'Show what can be said here',
    options: { command: { summary: 'One command', type: 'text', completes: 'command' } },
    permission: 'authorized',
    where: 'anywhere',
    async run({ command }) {
      const all = [...others, help];
      const wanted = command?.replace(/^[/!]/, '').toLowerCase();
      const shown =
        wanted === undefined
          ? all
          : all.filter(({ name }) => name === wanted || name.startsWith(`${wanted} `));
      if (shown.length === 0) return say(`There is no command "${command}". \`/help\` lists them all.`);
      return say(shown.map((spec) => `\`${usage(spec)}\` ${spec.summary}`).join('\n'));
    },
  });
  return help;
}
