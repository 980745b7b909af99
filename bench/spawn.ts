/**
 * Delegating: the main agent spawns a subagent without a thread, the subagent answers, and the main agent announces it. All
 * times are taken from outside and so are upper bounds: a spawn counts from the moment the model server has written its
 * tool call, a child's end from its last words, the announcement to its arrival on the event stream.
 */
import { tempHome, withCleanup } from './support/cleanup.ts';
import type { Figure } from './support/figures.ts';
import { type JournalLine, type Model, startModel } from './support/model.ts';
import { type Skein, startSkein } from './support/skein.ts';

const WARM_UP = 20;
const SPAWNS = 100;

export function spawn(): Promise<readonly Figure[]> {
  return withCleanup(async (cleanup) => {
    const model = await startModel(cleanup, 'spawning');
    const skein = await startSkein(cleanup, tempHome(cleanup), model.baseUrl);
    const chains: Chain[] = [];
    for (let n = 0; n < WARM_UP + SPAWNS; n++) chains.push(await delegate(skein, model, n));
    const measured = chains.slice(WARM_UP);
    return [
      {
        name: "tool call received → child's first request",
        unit: 'ms',
        values: measured.map(({ order, child }) => child.arrivedAt - answeredAt(order)),
        target: { atMost: 10 },
      },
      {
        name: "child's last words → announce turn's request",
        unit: 'ms',
        values: measured.map(({ child, announce }) => announce.arrivedAt - answeredAt(child)),
        target: { atMost: 10 },
      },
      {
        name: 'tool call received → announcement visible',
        unit: 'ms',
        values: measured.map(({ order, announcedAt }) => announcedAt - answeredAt(order)),
        target: { atMost: 30 },
      },
    ];
  });
}

interface Chain {
  readonly order: JournalLine;
  readonly child: JournalLine;
  readonly announce: JournalLine;
  readonly announcedAt: number;
}

/** Each in a conversation of its own: earlier children would lengthen the transcript. */
async function delegate(skein: Skein, model: Model, n: number): Promise<Chain> {
  const seen = (await model.journal()).length;
  const said = skein.bot.next(({ text }) => text === `announced ${n}`);
  await skein.say(`d${n}`, `delegate ${n}`);
  const { seenAt } = await said;
  const requests = await model.journal(seen);
  const find = (text: string) => {
    const found = requests.find(({ lastRole, lastText }) => lastRole === 'user' && lastText.includes(text));
    if (!found) throw new Error(`the model was never told "${text}"`);
    return found;
  };
  const child = requests.find(
    ({ lastRole, lastText }) =>
      lastRole === 'user' && lastText.includes(`errand ${n}`) && !lastText.includes('errand done'),
  );
  if (!child) throw new Error(`the child of delegation ${n} never asked the model`);
  return { order: find(`delegate ${n}`), child, announce: find(`errand done ${n}`), announcedAt: seenAt };
}

function answeredAt(line: JournalLine): number {
  return line.answeredAt ?? Number.NaN;
}
