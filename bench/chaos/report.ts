/** How the result of chaos is told. */
import type { Round } from './round.ts';

const SHOWN = 12;
const COLUMNS = [
  'driver',
  'accepted',
  'answered once',
  'lost',
  'duplicated',
  'out of order',
  'left over',
  'subagents',
  'interrupted',
  'kills',
  'stops',
  'duration',
] as const;

export function printFindings(round: Round): void {
  for (const kind of ['lost', 'duplicated', 'outOfOrder', 'leftOver'] as const) {
    const found = round[kind];
    if (found.length === 0) continue;
    const shown = found.slice(0, SHOWN).map((finding) => `    ${finding}\n`);
    process.stdout.write(`  ${kind}: ${found.length}\n${shown.join('')}`);
  }
  if (round.home !== undefined) process.stdout.write(`  the state folder is left at ${round.home}\n`);
}

/** As Markdown, so that it can be kept in a document. */
export function printTable(results: ReadonlyMap<string, readonly Round[]>): void {
  const lines = [
    COLUMNS,
    COLUMNS.map(() => '---'),
    ...[...results].map(([name, rounds]) => row(name, rounds)),
  ];
  process.stdout.write(`\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`);
}

function row(driver: string, rounds: readonly Round[]): readonly string[] {
  const sum = (count: (round: Round) => number) =>
    String(rounds.reduce((total, round) => total + count(round), 0));
  return [
    driver,
    sum((round) => round.accepted),
    sum((round) => round.answeredOnce),
    sum((round) => round.lost.length),
    sum((round) => round.duplicated.length),
    sum((round) => round.outOfOrder.length),
    sum((round) => round.leftOver.length),
    sum((round) => round.children),
    sum((round) => round.interrupted),
    sum((round) => round.kills),
    sum((round) => round.stops),
    `${sum((round) => Math.round(round.durationMs / 1_000))} s`,
  ];
}
