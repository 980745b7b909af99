/**
 * `skein tool`: through the running gateway if there is one, else with the engine in this process, under the same lock
 * and without any channel.
 */
import type { Config } from '../config/load.ts';
import { loadProcessConfig } from '../config/process.ts';
import { EXIT, type ExitCode, UsageError } from './exit-codes.ts';
import { type GatewayRecord, isRunning, readGatewayRecord, readTokenFile } from './gateway-record.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** What came back: the tool's own answer, or why it was not run. */
type Outcome = { readonly result: unknown } | { readonly refusal: string };

export async function tool(name: string, json: string, session: string): Promise<ExitCode> {
  const call = { name, session, args: parseArguments(json) };
  const { config } = loadProcessConfig({});
  const record = readGatewayRecord(config.home);
  const answer = record && isRunning(record) ? await askGateway(record, config, call) : undefined;
  const outcome = answer ?? (await runHere(config, call));
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

/** `undefined` when nobody is there: the record was left behind by a gateway that is gone. */
async function askGateway(
  record: GatewayRecord,
  config: Config,
  call: ToolCall,
): Promise<Outcome | undefined> {
  const token = config.http.token ?? readTokenFile(config.home) ?? '';
  let response: Response;
  try {
    response = await fetch(new URL(`/api/tools/${encodeURIComponent(call.name)}`, record.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ session: call.session, arguments: call.args }),
    });
  } catch {
    return undefined;
  }
  const body: unknown = await response.json().catch(() => undefined);
  return response.ok ? { result: body } : { refusal: refusalText(body, response.status) };
}

function refusalText(body: unknown, status: number): string {
  const { error } = (body ?? {}) as { readonly error?: { readonly message?: unknown } };
  if (typeof error?.message === 'string') return error.message;
  return `The running gateway answered with HTTP status ${status}.`;
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
