import { type CommandSpec, usage } from '../src/core/command-grammar.ts';
import { type Command, defineCommand, say } from './command.ts';

/** Lists the commands from their own definitions, itself included. */
export function createHelp(others: readonly Command[]): Command {
  const help: Command = defineCommand({
    name: 'help',
    summary: 'Show what can be said here',
    options: {
      command: { summary: 'One command, to see what can follow it', type: 'text', completes: 'command' },
    },
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
      return say(shown.length === 1 ? details(shown[0]!) : shown.map(line).join('\n'));
    },
  });
  return help;
}

function line(spec: CommandSpec): string {
  return `\`${usage(spec)}\` ${spec.summary}`;
}

/** With what its arguments can be; for several commands at once that would be too much to read. */
function details(spec: CommandSpec): string {
  const options = Object.entries(spec.options).map(([name, { summary }]) => `- \`${name}\`: ${summary}`);
  return [line(spec), ...options].join('\n');
}
