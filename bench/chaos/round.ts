/**
 * One round of chaos: a fresh state folder, one gateway and some workers, people who write, and a killer. When all has been
 * said and everybody is up again, it waits until nothing is under way and compares.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeModelServer } from '../../test/fakes/model-server.ts';
import { freePort } from '../../test/support/free-port.ts';
import { startRedis } from '../../test/support/redis.ts';
import { killAtRandom, type Toll } from './killer.ts';
import { readState } from './leftovers.ts';
import { chaosModel } from './model.ts';
import { createPace } from './pace.ts';
import { type Accepted, letPeopleTalk } from './people.ts';
import { planConversations } from './plan.ts';
import { createVictim, type Victim } from './processes.ts';
import { createRandom } from './random.ts';
import { settle } from './settle.ts';
import { judge, type Verdict } from './verdict.ts';
import { createWebChat, type WebChat } from './web-chat.ts';

const TOKEN = 'a-token-for-the-chaos-run';

export interface RoundOptions {
  readonly driver: 'embedded' | 'redis';
  /** Whether the gateway carries out runs too. */
  readonly gatewayWorks: boolean;
  readonly workers: number;
  readonly conversations: number;
  readonly messages: number;
  readonly kills: number;
  readonly stops: number;
  readonly seed: number;
  /** The state folder is left behind when something was found. */
  readonly keeps: boolean;
}

export interface Round extends Verdict, Toll {
  readonly interrupted: number;
  readonly durationMs: number;
  /** Where the state folder was left. */
  readonly home?: string;
}

export async function runRound(options: RoundOptions): Promise<Round> {
  const startedAt = performance.now();
  const home = mkdtempSync(join(tmpdir(), 'skein-chaos-'));
  const model = await createFakeModelServer();
  const redis = options.driver === 'redis' ? await startRedis('--maxmemory-policy', 'noeviction') : undefined;
  const port = await freePort();
  const victims = createVictims(options, home, {
    SKEIN_PORT: String(port),
    OPENAI_API_KEY: 'fake',
    LOG_LEVEL: 'info',
    ...(redis && { REDIS_URL: redis.url }),
  });
  const endAll = () => Promise.all(victims.map((victim) => victim.kill()));
  const endAtOnce = () => {
    for (const victim of victims) void victim.kill();
    void redis?.stop();
  };
  process.once('exit', endAtOnce);
  let isClean = false;
  try {
    model.reply(chaosModel);
    writeConfig(home, model.baseUrl);
    for (const victim of victims) victim.start();
    const chat = createWebChat(`http://127.0.0.1:${port}`, TOKEN);
    const { verdict, toll, interrupted } = await playOut(options, victims, chat, home);
    const leftOver = [
      ...verdict.leftOver,
      ...model.violations.map((violation) => `the model was asked wrongly: ${violation}`),
      ...victims.flatMap((victim) => victim.ends),
    ];
    const round = { ...verdict, ...toll, interrupted, leftOver, durationMs: performance.now() - startedAt };
    isClean = isWithoutFindings(round);
    return isClean || !options.keeps ? round : { ...round, home };
  } finally {
    await endAll();
    process.removeListener('exit', endAtOnce);
    await model.close();
    await redis?.remove();
    if (isClean || !options.keeps) rmSync(home, { recursive: true, force: true });
  }
}

export function isWithoutFindings(verdict: Verdict): boolean {
  const { lost, duplicated, outOfOrder, leftOver } = verdict;
  return lost.length + duplicated.length + outOfOrder.length + leftOver.length === 0;
}

function writeConfig(home: string, baseUrl: string): void {
  const config = {
    http: { token: TOKEN },
    models: { providers: { openai: { baseUrl } } },
    agents: { defaults: { subagents: { maxChildrenPerAgent: 20 } } },
  };
  writeFileSync(join(home, 'skein.json5'), JSON.stringify(config));
}

function createVictims(
  { workers, gatewayWorks }: RoundOptions,
  home: string,
  env: Readonly<Record<string, string>>,
): readonly Victim[] {
  const gateway = gatewayWorks ? ['start'] : ['start', '--no-worker'];
  return [
    createVictim({ name: 'gateway', home, args: gateway, env }),
    ...Array.from({ length: workers }, (_, i) =>
      createVictim({ name: `worker-${i + 1}`, home, args: ['worker'], env }),
    ),
  ];
}

async function playOut(
  options: RoundOptions,
  victims: readonly Victim[],
  chat: WebChat,
  home: string,
): Promise<{ verdict: Verdict; toll: Toll; interrupted: number }> {
  const random = createRandom(options.seed);
  const conversations = planConversations(options.messages, options.conversations, random.branch('plan'));
  const accepted: Accepted[] = [];
  const findings: string[] = [];
  const said = createPace();
  const killed = createPace();
  const [toll] = await Promise.all([
    killAtRandom({
      victims,
      kills: options.kills,
      stops: options.stops,
      random: random.branch('killer'),
      until: said.until,
      onKill: (count) => killed.reach(count / options.kills),
    }),
    letPeopleTalk({
      conversations,
      chat,
      random: random.branch('people'),
      until: killed.until,
      onAccepted: (message) => {
        accepted.push(message);
        said.reach(accepted.length / options.messages);
      },
      onFinding: (finding) => findings.push(finding),
    }),
  ]);
  const state = readState(home);
  try {
    const leftOver = await settle(chat, state, conversations);
    const verdict = await judge(chat, conversations, accepted);
    for (const label of conversations.flatMap(({ messages }) =>
      messages.flatMap(({ children }) => children),
    )) {
      if (state.made(label) !== 1) findings.push(`${label}: made ${state.made(label)} times`);
    }
    const all = [...verdict.leftOver, ...findings, ...leftOver, ...state.faults()];
    return { verdict: { ...verdict, leftOver: all }, toll, interrupted: state.interrupted() };
  } finally {
    state.close();
  }
}
