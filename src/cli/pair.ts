/**
 * `skein pair`: who waits to be let in, and deciding about them. Through the running gateway if there is one, else with the
 * stores in this process, under the same lock and without any channel.
 */
import { z } from 'zod';
import type { Pairings } from '../access/pairing.ts';
import type { Config } from '../config/load.ts';
import { loadProcessConfig } from '../config/process.ts';
import { AppError } from '../errors.ts';
import { askGateway, type GatewayAnswer } from './ask-gateway.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

const waiting = z.object({ channel: z.string(), peer: z.string(), name: z.string(), code: z.string() });
const waitingList = z.object({ pairings: z.array(waiting) });
type Waiting = z.infer<typeof waiting>;

export async function pairList(): Promise<ExitCode> {
  const { config } = loadProcessConfig({});
  const answer = await askGateway(config, '/api/pairings');
  const pairings = answer
    ? waitingList.parse(accepted(answer)).pairings
    : await withStores(config, (here) => here.pending());
  const rows = pairings.map(
    ({ code, name, channel, peer }) => `${code}  ${name} (${channel} user ${peer})\n`,
  );
  process.stdout.write(rows.length === 0 ? 'Nobody waits to be let in.\n' : rows.join(''));
  return EXIT.ok;
}

export async function pairDecide(code: string, decision: 'approve' | 'deny'): Promise<ExitCode> {
  const { config } = loadProcessConfig({});
  const answer = await askGateway(config, `/api/pairings/${encodeURIComponent(code)}`, { decision });
  const person = answer ? decided(answer) : await decideHere(config, code, decision);
  if (!person) {
    process.stderr.write(
      `skein: Nobody waits with the code "${code}". "npx skein pair list" shows who does.\n`,
    );
    return EXIT.failed;
  }
  const told = answer ? 'is told so' : 'is told so once Skein runs';
  const outcome = decision === 'approve' ? `is let in and ${told}` : 'is not let in';
  process.stdout.write(`${person.name} (${person.channel} user ${person.peer}) ${outcome}.\n`);
  return EXIT.ok;
}

function decided(answer: GatewayAnswer): Waiting | undefined {
  return answer.status === 404 ? undefined : waiting.parse(accepted(answer));
}

function accepted(answer: GatewayAnswer): unknown {
  if (answer.status >= 400) throw new AppError('bad-request', answer.refusal);
  return answer.body;
}

const VERDICTS = { approve: 'approved', deny: 'denied' } as const;

function decideHere(
  config: Config,
  code: string,
  decision: 'approve' | 'deny',
): Promise<Waiting | undefined> {
  return withStores(config, (pairings) => pairings.decide(code, VERDICTS[decision]));
}

async function withStores<T>(config: Config, work: (pairings: Pairings) => Promise<T>): Promise<T> {
  const { createApp } = await import('../app.ts');
  const app = await createApp({ ...config, http: { ...config.http, port: 0 } }, { channels: [] });
  try {
    return await work(app.pairings);
  } finally {
    await app.stop();
  }
}
