/**
 * `npm run bench [name…]`: runs all or the named benchmarks, one after the other, and prints their figures. A benchmark
 * measures; it is no test, and a target that is missed does not fail it.
 */
import { cpus } from 'node:os';
import { backlog } from './backlog.ts';
import { discord } from './discord.ts';
import { overhead } from './overhead.ts';
import { spawn } from './spawn.ts';
import { startup } from './startup.ts';
import { type Figure, printFigure, printHeading, printNote } from './support/figures.ts';
import { throughput } from './throughput.ts';

const benchmarks: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  startup,
  overhead,
  throughput,
  spawn,
  backlog,
  discord,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no benchmark "${unknown[0]}". There are: ${Object.keys(benchmarks).join(', ')}.\n`,
  );
  process.exit(64);
}

printNote(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'processor'}`);
for (const name of wanted.length > 0 ? wanted : Object.keys(benchmarks)) {
  printHeading(name);
  for (const figure of await benchmarks[name]!()) printFigure(figure);
}
