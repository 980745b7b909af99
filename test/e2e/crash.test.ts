/**
 * Killed at every step: one spawn-and-announce is driven with the process dying at each single write, before and after its
 * commit, and started again. Whatever the moment, people see the same conversation as without a crash.
 */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type ChatBody, createFakeModelServer, type FakeReply } from '../fakes/model-server.ts';
import { type SkeinProcess, startSkein } from '../support/skein-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';

const script = fileURLToPath(new URL('../support/crashing-skein.ts', import.meta.url));
/** As many processes at once as the machine has use for. */
const CONCURRENCY = 2;

function textOf(body: ChatBody): string {
  return JSON.stringify(body.messages);
}

/** Spawns one child with a thread and one without, and tells what the second one found. */
function scripted(body: ChatBody): FakeReply {
  const last = body.messages.at(-1)!;
  const said = typeof last.content === 'string' ? last.content : '';
  if (textOf(body).includes('You are a subagent')) {
    const topic = textOf(body).includes('DIG-IN-THREAD') ? 'DIG-IN-THREAD' : 'DIG-ALONE';
    return { type: 'text', text: `FOUND by ${topic}` };
  }
  if (last.role === 'tool') return { type: 'text', text: 'STARTED' };
  if (said.includes('FOUND by DIG-ALONE')) return { type: 'text', text: 'TOLD' };
  return {
    type: 'tool-calls',
    calls: [
      {
        id: 'a',
        name: 'sessions_spawn',
        arguments: { task: 'DIG-IN-THREAD', label: 'digger', thread: true, context: 'isolated' },
      },
      { id: 'b', name: 'sessions_spawn', arguments: { task: 'DIG-ALONE', label: 'loner' } },
    ],
  };
}

/** What people see, in an order that does not depend on which child was quicker. */
interface Seen {
  readonly channel: readonly string[];
  readonly cards: readonly (string | undefined)[];
  readonly threads: readonly string[];
  readonly inThread: readonly string[];
}

const EXPECTED: Seen = {
  channel: ['STARTED', 'TOLD', '[card]', 'go'],
  cards: ['succeeded'],
  threads: ['digger'],
  inThread: ['FOUND by DIG-IN-THREAD', '[notice]'],
};

async function look(skein: SkeinProcess): Promise<Seen> {
  const messages = await skein.messages();
  const threads = await skein.threads();
  const inThread = threads[0] ? await skein.messages({ thread: threads[0].id }) : [];
  return {
    channel: messages.map(({ text, card }) => (card ? '[card]' : text)).sort(),
    cards: messages.flatMap(({ card }) => (card ? [card.state] : [])),
    threads: threads.map(({ title, boundTo }) => (boundTo === undefined ? `${title} (unbound)` : title)),
    inThread: inThread.map(({ text }) => (text.includes('/unfocus') ? '[notice]' : text)).sort(),
  };
}

async function askOnce(skein: SkeinProcess): Promise<void> {
  try {
    await skein.say('go', { id: 'the-question' });
  } catch {
    // It died before it had accepted the message: the client asks again, with the same id, once it is back.
  }
}

async function settled(skein: SkeinProcess): Promise<Seen> {
  let seen = await look(skein);
  try {
    await until(
      async () => {
        seen = await look(skein);
        return JSON.stringify(seen) === JSON.stringify(EXPECTED);
      },
      { what: 'the whole conversation', withinMs: 15_000 },
    );
  } catch {
    // What is there instead is the finding.
  }
  return seen;
}

it('kill -9 at each write: answered once, announced once, one thread, no card left working', {
  timeout: 600_000,
}, async () => {
  const model = await createFakeModelServer();
  model.reply(scripted);
  const env = { OPENAI_API_KEY: 'sk-test-not-a-real-key', LOG_LEVEL: 'warn' };
  const config = `{ models: { providers: { openai: { baseUrl: '${model.baseUrl}' } } } }`;
  const { writeFileSync } = await import('node:fs');

  const run = async (crash: Record<string, string>) => {
    const home = tempDir();
    writeFileSync(`${home}/skein.json5`, config);
    const first = await startSkein({ home, script, args: [], env: { ...env, ...crash }, mayEndEarly: true });
    if (first.url !== '') await askOnce(first);
    return { home, first };
  };

  try {
    const { first: whole } = await run({});
    expect(await settled(whole)).toEqual(EXPECTED);
    process.kill(whole.pid, 'SIGUSR2');
    const writes = Number(
      await until(() => /writes: (\d+)/.exec(whole.output().stdout)?.[1], { what: 'the count of writes' }),
    );
    await whole.terminate();
    expect(writes).toBeGreaterThan(15);

    const moments = Array.from({ length: writes }, (_, i) => i + 1).flatMap((at) =>
      (['before', 'after'] as const).map((when) => ({ at, when })),
    );
    const findings: unknown[] = [];
    const planned = moments.length;
    let unreached = 0;
    const next = async (): Promise<void> => {
      for (let moment = moments.shift(); moment; moment = moments.shift()) {
        const { home, first } = await run({ CRASH_AT: String(moment.at), CRASH_WHEN: moment.when });
        // The last writes of the count may not come about when things happen in another order.
        if (!(await first.endsWithin(4_000))) unreached++;
        await first.kill();
        const again = await startSkein({ home, script, args: [], env });
        await askOnce(again);
        const seen = await settled(again);
        if (JSON.stringify(seen) !== JSON.stringify(EXPECTED)) {
          findings.push({ ...moment, seen, log: again.output().stderr });
        }
        await again.kill();
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, next));
    expect(findings).toEqual([]);
    expect(unreached).toBeLessThan(planned / 5);
    expect(model.violations).toEqual([]);
  } finally {
    await model.close();
  }
});
