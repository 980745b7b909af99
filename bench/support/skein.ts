/** The product as it is started, spoken to over its HTTP API by a client that costs little itself. */
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BotMessages, listenForBot } from './bot-messages.ts';
import { type Child, startChild } from './child.ts';
import type { Cleanup } from './cleanup.ts';
import { monotonicMs } from './monotonic.ts';

const launcher = fileURLToPath(new URL('../../bin/skein.js', import.meta.url));
const POLL_MS = 3;

export interface Started {
  readonly child: Child;
  /** From the start of the process to its first 200 at `/readyz`. */
  readonly readyMs: number;
  readonly url: string;
}

/** Which processes share the work, and what wakes them. */
export interface Setup {
  /** Processes beside a gateway that then leaves the work to them; 0: the gateway works itself. */
  readonly workers: number;
  /** Absent: the embedded queue; workers watch the database. */
  readonly redisUrl?: string;
}

const ALONE: Setup = { workers: 0 };

export interface Skein extends Started {
  readonly workers: readonly Child[];
  /** Resolves with the moment at which the answer (202) had come. */
  say(conversation: string, text: string): Promise<number>;
  readonly bot: BotMessages;
}

/** Points the default model at `baseUrl`; `more` are further keys of the configuration. */
export function writeConfig(
  home: string,
  baseUrl: string,
  more: Readonly<Record<string, unknown>> = {},
): void {
  writeFileSync(
    join(home, 'skein.json5'),
    JSON.stringify({ models: { providers: { openai: { baseUrl } } }, ...more }),
  );
}

/** `env` is added to a bare environment; without a key the offline model answers. */
export async function startProcess(
  cleanup: Cleanup,
  home: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = ['start'],
): Promise<Started> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const startedAt = monotonicMs();
  const child = launch(cleanup, home, { SKEIN_PORT: String(port), ...env }, args);
  const ended = child.says(/never said by Skein/);
  await Promise.race([untilReady(url), ended]);
  return { child, url, readyMs: monotonicMs() - startedAt };
}

function launch(
  cleanup: Cleanup,
  home: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Child {
  return startChild(cleanup, launcher, args, {
    cwd: home,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      SKEIN_HOME: home,
      // As `npm start` does it. For a profile: `--cpu-prof --cpu-prof-dir=…`.
      NODE_OPTIONS: `--max-semi-space-size=4 ${process.env.SKEIN_NODE_OPTIONS ?? ''}`,
      ...env,
    },
  });
}

/** With the fake model as its default, and a client that has signed in. */
export async function startSkein(
  cleanup: Cleanup,
  home: string,
  baseUrl: string,
  { workers: count, redisUrl }: Setup = ALONE,
): Promise<Skein> {
  writeConfig(home, baseUrl);
  const env = { OPENAI_API_KEY: 'fake', LOG_LEVEL: 'info', ...(redisUrl && { REDIS_URL: redisUrl }) };
  const started = await startProcess(cleanup, home, env, count > 0 ? ['start', '--no-worker'] : ['start']);
  const workers = Array.from({ length: count }, () => launch(cleanup, home, env, ['worker']));
  await Promise.all(workers.map((worker) => worker.says(/worker is ready/)));
  const [, token] = await started.child.says(/token=([\w-]+)/);
  const authorization = `Bearer ${token}`;
  const agent = new Agent({ keepAlive: true });
  const bot = await listenForBot(cleanup, `${started.url}/api/webchat/events`, authorization);
  cleanup.add(() => agent.destroy());
  const post = (body: string) =>
    postMessage(`${started.url}/api/webchat/messages`, agent, authorization, body);
  return {
    ...started,
    workers,
    bot,
    say: async (conversation, text) => {
      const body = JSON.stringify({ id: crypto.randomUUID(), conversation, text });
      // A connection may be closed for idleness just as it is used again; with its id the message counts once.
      return (
        (await post(body)) ?? (await post(body)) ?? Promise.reject(new Error('the connection was reset'))
      );
    },
  };
}

/** Resolves with the moment of the answer, or `undefined` when a kept connection was reset before there was one. */
function postMessage(
  url: string,
  agent: Agent,
  authorization: string,
  body: string,
): Promise<number | undefined> {
  const headers = {
    authorization,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'POST', agent, headers }, (response) => {
      const answeredAt = monotonicMs();
      response.resume().once('end', () => {
        if (response.statusCode === 202) resolve(answeredAt);
        else reject(new Error(`a message was answered with ${response.statusCode}`));
      });
    });
    call.on('error', (error) => (call.reusedSocket ? resolve(undefined) : reject(error)));
    call.end(body);
  });
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    if (await isReady(url)) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    request(`${url}/readyz`, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    })
      .on('error', () => resolve(false))
      .end();
  });
}

/** One that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
