/**
 * Turns a second over 50 conversations, each of which sends its next message when it sees its reply. Client, model and Skein
 * share the machine, so the ceilings of what lies below are taken in the same run: compare with those, not with other days.
 */
import { bareCommits, bareProviderCalls } from './support/ceilings.ts';
import { tempHome, withCleanup } from './support/cleanup.ts';
import type { Figure } from './support/figures.ts';
import { startModel } from './support/model.ts';
import { monotonicMs } from './support/monotonic.ts';
import { processorMs, residentMib } from './support/process-usage.ts';
import { type Skein, startSkein } from './support/skein.ts';

const CONVERSATIONS = 50;
const WARM_UP = 500;
const TURNS = 2_000;
const ROUNDS = 3;

export function throughput(): Promise<readonly Figure[]> {
  return withCleanup(async (cleanup) => {
    const model = await startModel(cleanup);
    const skein = await startSkein(cleanup, tempHome(cleanup), model.baseUrl);
    const drive = createDriver(skein);
    await drive(WARM_UP, 'warm-up');
    const rounds: Round[] = [];
    const pids = { skein: skein.child.pid, model: model.pid, client: process.pid };
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push(await measured(() => drive(TURNS, `round${round}`), pids));
    }
    const memory = residentMib(skein.child.pid);
    const commits = await bareCommits(tempHome(cleanup));
    const calls = await bareProviderCalls(model.baseUrl);
    const perTurn = (who: keyof Round['used']) => rounds.map(({ used }) => used[who] / TURNS);
    return [
      {
        name: 'turns over 50 conversations',
        unit: '1/s',
        values: rounds.map(({ tookMs }) => (TURNS * 1_000) / tookMs),
        target: { atLeast: 150 },
      },
      { name: 'processor time a turn: Skein', unit: 'ms', values: perTurn('skein') },
      { name: 'processor time a turn: model server', unit: 'ms', values: perTurn('model') },
      { name: 'processor time a turn: client', unit: 'ms', values: perTurn('client') },
      { name: 'resident memory at the end', unit: 'MiB', values: [memory.now] },
      { name: 'ceiling: bare SQLite commits', unit: '1/s', values: commits },
      { name: 'ceiling: bare provider calls', unit: '1/s', values: calls },
    ];
  });
}

interface Round {
  readonly tookMs: number;
  /** Processor time in milliseconds. */
  readonly used: { readonly skein: number; readonly model: number; readonly client: number };
}

async function measured(
  work: () => Promise<void>,
  pids: { readonly skein: number; readonly model: number; readonly client: number },
): Promise<Round> {
  const now = () => ({
    skein: processorMs(pids.skein),
    model: processorMs(pids.model),
    client: processorMs(pids.client),
  });
  const before = now();
  const startedAt = monotonicMs();
  await work();
  const tookMs = monotonicMs() - startedAt;
  const after = now();
  return {
    tookMs,
    used: {
      skein: after.skein - before.skein,
      model: after.model - before.model,
      client: after.client - before.client,
    },
  };
}

/** Returns what carries out that many turns in new conversations, all at once. */
function createDriver(skein: Skein): (turns: number, name: string) => Promise<void> {
  let replied: (conversation: string) => void = () => undefined;
  let said = 0;
  skein.bot.onMessage(({ conversation }) => replied(conversation));
  return (turns, name) =>
    new Promise((resolve, reject) => {
      let toSend = turns;
      let toCome = turns;
      const send = (conversation: string) => {
        if (toSend === 0) return;
        toSend--;
        skein.say(conversation, `message ${said++}`).catch(reject);
      };
      replied = (conversation) => {
        toCome--;
        if (toCome === 0) resolve();
        else send(conversation);
      };
      for (let n = 0; n < CONVERSATIONS; n++) send(`${name}-${n}`);
    });
}
