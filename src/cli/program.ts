/**
 * The command line: names, options and help. What a command does is in a file of its own, imported only when that
 * command runs, so that `skein version` does not pay for a database.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { LANES, type Lane } from '../core/run.ts';
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts';
import { failureText } from './failure.ts';

const EXAMPLES = `
Examples:
  npx skein start                          web chat on http://127.0.0.1:4280
  npx skein start --port 0                 on a free port; the address is printed
  npx skein config check                   is skein.json5 right?
  npx skein doctor                         is everything right?
  npx skein discord invite                 bring the bot into a Discord server
  npx skein tool sessions_spawn '{"task":"read the notes"}' --session agent:main:webchat:channel:general

Exit codes:
  0  done        1  failed       2  wrong call        69  port or state folder cannot be used
  70 a bug       75 try later (another Skein uses the state folder)        78 wrong configuration
`;

const START_EXAMPLES = `
Examples:
  npx skein start --config ./work.json5
  OPENAI_API_KEY=... npx skein start   answers with a model of OpenAI
  SKEIN_HOME=/var/lib/skein npx skein start
`;

const WORKER_EXAMPLES = `
Examples:
  npx skein start --no-worker              a gateway that only talks to the platforms
  npx skein worker                         all lanes
  npx skein worker --lanes subagent --concurrency 4
`;

const TOOL_EXAMPLES = `
Examples:
  npx skein tool sessions_spawn '{"task":"read the notes","thread":true}' --session agent:main:webchat:channel:general

Prints what the tool answers, as JSON. A refusal of the tool is such an answer too.
`;

const DOCTOR_EXAMPLES = `
Ends with 0 when nothing is wrong, and with 1 when something is. Warnings do not count as wrong.

Examples:
  npx skein doctor
  npx skein doctor --json | jq '.checks[] | select(.status != "ok")'
`;

interface StartOptions {
  readonly port?: number;
  readonly host?: string;
  readonly config?: string;
  readonly worker: boolean;
}

/** Runs the command that `args` name; resolves with the exit code once it has ended. Never rejects. */
export async function runProgram(args: readonly string[]): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const program = createProgram((code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // commander has said what is wrong already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    process.stderr.write(failureText(error));
    return exitCodeOf(error);
  }
}

function createProgram(done: (code: ExitCode) => void): Command {
  const program = new Command('skein')
    .description('A Discord bot whose agents hand work to subagents that live in threads.')
    .exitOverride()
    .showHelpAfterError('(npx skein --help shows what there is)')
    .addHelpText('after', EXAMPLES);

  program
    .command('start')
    .description('start the gateway with its web chat')
    .option('--port <number>', 'port of the web chat; 0 picks a free one', parsePort)
    .option('--host <address>', 'address to listen on; beyond this machine it needs http.token')
    .option('--config <file>', 'configuration file instead of skein.json5')
    .option('--no-worker', 'leave the work to "npx skein worker" processes')
    .addHelpText('after', START_EXAMPLES)
    .action(async ({ port, host, config, worker }: StartOptions) => {
      const { start } = await import('./start.ts');
      const flags = {
        ...(port !== undefined && { port }),
        ...(host !== undefined && { host }),
        ...(config !== undefined && { configPath: config }),
      };
      done(await start(flags, worker));
    });

  program
    .command('worker')
    .description('carry out runs beside a gateway, on the same state folder')
    .addOption(
      new Option('--lanes <names>', `which lanes, of ${LANES.join(',')}`)
        .argParser(parseLanes)
        .default(LANES, 'all of them'),
    )
    .option('--concurrency <number>', 'runs of each lane at once in this process', parseConcurrency)
    .addHelpText('after', WORKER_EXAMPLES)
    .action(async (options: { lanes: readonly Lane[]; concurrency?: number }) => {
      const { worker } = await import('./worker.ts');
      done(await worker(options));
    });

  program
    .command('tool')
    .description('run an agent tool as a session, under its policy')
    .argument('<name>', 'name of the tool, e.g. sessions_spawn')
    .argument('[arguments]', 'arguments of the tool as a JSON object', '{}')
    .requiredOption('--session <key>', 'key of the session to act as')
    .addHelpText('after', TOOL_EXAMPLES)
    .action(async (name: string, json: string, { session }: { session: string }) => {
      const { tool } = await import('./tool.ts');
      done(await tool(name, json, session));
    });

  addPair(program, done);

  program
    .command('config')
    .description('the configuration')
    .command('check')
    .description('tell every wrong value and unknown key; changes nothing')
    .option('--config <file>', 'configuration file instead of skein.json5')
    .action(async ({ config }: { config?: string }) => {
      const { checkConfig } = await import('./config-check.ts');
      done(checkConfig(config === undefined ? {} : { configPath: config }));
    });

  program
    .command('doctor')
    .description('look at everything that has to be right, and say what to do; changes nothing')
    .option('--config <file>', 'configuration file instead of skein.json5')
    .option('--json', 'print the checks as JSON')
    .addHelpText('after', DOCTOR_EXAMPLES)
    .action(async ({ config, json = false }: { config?: string; json?: boolean }) => {
      const { doctor } = await import('./doctor.ts');
      done(await doctor(config === undefined ? {} : { configPath: config }, json));
    });

  program
    .command('discord')
    .description('the Discord bot')
    .command('invite')
    .description('print the address that brings the bot into a server, and what it asks for')
    .option('--account <id>', 'account of channels.discord.accounts')
    .option('--config <file>', 'configuration file instead of skein.json5')
    .option('--json', 'print it as JSON')
    .action(async (options: { account?: string; config?: string; json?: boolean }) => {
      const { discordInvite } = await import('./discord-invite.ts');
      done(await discordInvite(options));
    });

  program
    .command('version')
    .description('print the versions of Skein and Node')
    .action(async () => {
      const { version } = await import('./version.ts');
      done(version());
    });

  return program;
}

function addPair(program: Command, done: (code: ExitCode) => void): void {
  const pair = program.command('pair').description('strangers who wrote to the bot and wait to be let in');
  pair
    .command('list')
    .description('show who waits, with their codes')
    .action(async () => {
      const { pairList } = await import('./pair.ts');
      done(await pairList());
    });
  for (const [decision, description] of [
    ['approve', 'let somebody in; they are told'],
    ['deny', 'do not let somebody in; they are told nothing'],
  ] as const) {
    pair
      .command(decision)
      .description(description)
      .argument('<code>', 'the code that they were given')
      .action(async (code: string) => {
        const { pairDecide } = await import('./pair.ts');
        done(await pairDecide(code, decision));
      });
  }
}

function parseLanes(text: string): readonly Lane[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(LANES as readonly string[]).includes(name));
  if (unknown === undefined) return [...new Set(names)] as Lane[];
  throw new InvalidArgumentError(`There is no lane "${unknown}"; there are: ${LANES.join(', ')}.`);
}

function parseConcurrency(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1 to 9999.');
  return Number(text);
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return port;
}
