/**
 * `npm run chaos`: thousands of messages and subagents while the processes that work on them are killed at random, on both
 * run queues. Prints what was accepted and what became of it; ends with 1 when anything was lost, said twice, out of order
 * or left over.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { printFindings, printTable } from './chaos/report.ts';
import { isWithoutFindings, type Round, runRound } from './chaos/round.ts';

/** Each has a state folder of its own; the gateway works itself in every second one. */
const ROUNDS = 4;
const CONVERSATIONS = 40;
const KILLS_A_STOP = 12;
const DRIVERS = ['embedded', 'redis'] as const;

const { values } = parseArgs({
  options: {
    driver: { type: 'string' },
    messages: { type: 'string', default: '2000' },
    kills: { type: 'string', default: '200' },
    workers: { type: 'string', default: '2' },
    rounds: { type: 'string', default: String(ROUNDS) },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** Leaves the state folder of a round with findings behind. */
    keep: { type: 'boolean', default: false },
  },
});

const rounds = Number(values.rounds);
const seed = Number(values.seed);
const share = (total: string) => Math.max(1, Math.round(Number(total) / rounds));
const kills = share(values.kills);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

process.stdout.write(
  `Chaos with --seed ${seed}; Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}\n`,
);
const results = new Map<string, Round[]>();
for (const driver of DRIVERS.filter((name) => values.driver === undefined || values.driver === name)) {
  for (let round = 0; round < rounds; round++) {
    const gatewayWorks = round % 2 === 1;
    const result = await runRound({
      driver,
      gatewayWorks,
      workers: Number(values.workers),
      conversations: CONVERSATIONS,
      messages: share(values.messages),
      kills,
      stops: Math.ceil(kills / KILLS_A_STOP),
      seed: seed + round,
      keeps: values.keep,
    });
    results.set(driver, [...(results.get(driver) ?? []), result]);
    const name = `${driver}, round ${round + 1} (${gatewayWorks ? 'the gateway works too' : '--no-worker'})`;
    process.stdout.write(`${name}: ${Math.round(result.durationMs / 1_000)} s\n`);
    printFindings(result);
  }
}
printTable(results);
process.exitCode = [...results.values()].flat().every(isWithoutFindings) ? 0 : 1;
