import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CommandServices } from '../../commands/command.ts';
import { createCommands } from '../../commands/index.ts';
import { type CommandPermission, usage } from '../../src/core/command-grammar.ts';

const WHO: Readonly<Record<CommandPermission, string>> = {
  authorized: 'everybody who is heard',
  binder: 'who focused the thread, and owners',
  owner: 'owners',
};

test('docs/commands.md lists every command as it is defined', () => {
  const page = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');
  const { specs } = createCommands({} as CommandServices);
  const rows = specs.map((spec) => {
    const command = `\`${usage(spec).replaceAll('|', '\\|')}\``;
    return `| ${command} | ${spec.summary} | ${WHO[spec.permission]} |`;
  });
  expect(page.split('\n').filter((line) => line.startsWith('| `/'))).toEqual(rows);
});
