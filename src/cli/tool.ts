/**
 * `skein tool`: through the running gateway if there is one, else with the engine in this process, under the same lock
 * and without any channel.
 */
import type { Config } from '../config/load.ts';
import { loadProcessConfig } from '../config/process.ts';
import { askGateway } from './ask-gateway.ts';
import { EXIT, type ExitCode, UsageError } from './exit-codes.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** What came back: the tool's own answer, or why it was not run. */
type Outcome = { readonly result: unknown } | { readonly refusal: string };

export async function tool(name: string, json: string, session: string): Promise<ExitCode> {
  const call = { name, session, args: parseArguments(json) };
  const { config } = loadProcessConfig({});
  const outcome = (await askFor(config, call)) ?? (await runHere(config, call));
  if ('refusal' in outcome) {
    process.stderr.write(`skein: ${outcome.refusal}\n`);
    return EXIT.failed;
  }
  process.stdout.write(`${JSON.stringify(outcome.result, null, 2)}\n`);
  return EXIT.ok;
}

interface ToolCall {
  readonly name: string;
  readonly session: string;
  readonly args: Arguments;
}

function parseArguments(json: string): Arguments {
  const example = `'{"limit": 5}'`;
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw new UsageError(`The arguments are not JSON. Quote them for the shell, e.g. ${example}.`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new UsageError(`The arguments must be a JSON object, e.g. ${example}.`);
  }
  return { ...parsed };
}

async function askFor(config: Config, { name, session, args }: ToolCall): Promise<Outcome | undefined> {
  const path = `/api/tools/${encodeURIComponent(name)}`;
  const answer = await askGateway(config, path, { session, arguments: args });
  return answer && (answer.status < 400 ? { result: answer.body } : { refusal: answer.refusal });
}

async function runHere(config: Config, { name, session, args }: ToolCall): Promise<Outcome> {
  const { createApp } = await import('../app.ts');
  const app = await createApp({ ...config, http: { ...config.http, port: 0 } }, { channels: [] });
  try {
    await app.start();
    const outcome = await app.runTool(name, session, args);
    switch (outcome.status) {
      case 'ok':
        return { result: outcome.result ?? null };
      case 'unknown-tool':
        return { refusal: `There is no tool named "${name}".` };
      case 'unknown-session':
        return { refusal: `There is no session "${session}".` };
    }
  } finally {
    await app.stop();
  }
}
