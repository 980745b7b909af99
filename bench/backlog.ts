/**
 * A full inbox: 10,000 queued runs over 1,000 sessions are in the store when Skein starts. All must be carried out, in order
 * within each session, without much memory.
 */
import { join } from 'node:path';
import { createSystemClock } from '../adapters/node/index.ts';
import { openSqliteStore } from '../adapters/sql/index.ts';
import { inputId, runId, type SessionKey } from '../src/core/ids.ts';
import { buildSessionKey } from '../src/core/session-key.ts';
import type { StoreTx } from '../src/ports/store/index.ts';
import { silentLog } from '../test/support/silent-log.ts';
import { type Cleanup, tempHome, withCleanup } from './support/cleanup.ts';
import type { Figure } from './support/figures.ts';
import { type JournalLine, startModel } from './support/model.ts';
import { monotonicMs } from './support/monotonic.ts';
import { residentMib } from './support/process-usage.ts';
import { startSkein } from './support/skein.ts';

const SESSIONS = 1_000;
const RUNS_EACH = 10;
const RUNS = SESSIONS * RUNS_EACH;

export function backlog(): Promise<readonly Figure[]> {
  return withCleanup(async (cleanup) => {
    const model = await startModel(cleanup);
    const home = tempHome(cleanup);
    await fillStore(cleanup, join(home, 'skein.db'));
    const startedAt = monotonicMs();
    const skein = await startSkein(cleanup, home, model.baseUrl);
    let replies = 0;
    const { promise: all, resolve } = Promise.withResolvers<void>();
    skein.bot.onMessage(() => {
      if (++replies === RUNS) resolve();
    });
    // Replies that came before the event stream was open are missed by it, so the end is also looked for in the journal.
    for (;;) {
      const isOver = await Promise.race([all.then(() => true), later(2_000).then(() => false)]);
      if (isOver || answered(await model.journal()) === RUNS) break;
    }
    const endedAt = monotonicMs();
    const { peak } = residentMib(skein.child.pid);
    const requests = await model.journal();
    checkOrder(requests);
    return [
      { name: 'start to ready', unit: 'ms', values: [skein.readyMs] },
      {
        name: 'start to the first request at the model',
        unit: 'ms',
        values: [requests[0]!.arrivedAt - startedAt],
        target: { atMost: 2_000 },
      },
      { name: 'all 10,000 carried out in order', unit: 's', values: [(endedAt - startedAt) / 1_000] },
      { name: 'runs a second', unit: '1/s', values: [(RUNS * 1_000) / (endedAt - requests[0]!.arrivedAt)] },
      { name: 'peak resident memory', unit: 'MiB', values: [peak], target: { atMost: 350 } },
    ];
  });
}

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function answered(requests: readonly JournalLine[]): number {
  return requests.filter(({ answeredAt }) => answeredAt !== undefined).length;
}

/** As admission leaves them: a session, and for each message a run with one input. Rounds are interleaved over sessions. */
async function fillStore(cleanup: Cleanup, path: string): Promise<void> {
  const stores = await openSqliteStore({
    path,
    synchronous: 'normal',
    clock: createSystemClock(),
    log: silentLog,
  });
  cleanup.add(() => stores.close());
  for (let round = 0; round < RUNS_EACH; round++) {
    await stores.store.transaction(async (tx) => {
      for (let n = 0; n < SESSIONS; n++) await insertRun(tx, n, round);
    });
  }
  await stores.close();
}

async function insertRun(tx: StoreTx, n: number, round: number): Promise<void> {
  const now = Date.now();
  const conversation = `b${n}`;
  const address = { channel: 'webchat', account: 'default', chatType: 'channel', conversation } as const;
  const chat = {
    kind: 'chat',
    agentId: 'main',
    channel: 'webchat',
    chat: 'channel',
    id: conversation,
  } as const;
  const key: SessionKey = buildSessionKey(chat);
  if (round === 0) {
    await tx.sessions.ensure({
      key,
      id: crypto.randomUUID(),
      kind: 'group',
      agentId: 'main',
      displayName: `#${conversation}`,
      depth: 0,
      role: 'main',
      cleanup: 'keep',
      route: address,
      createdAt: now,
    });
  }
  const run = runId(`run_${n}_${round}`);
  const actor = { channel: 'webchat', id: 'owner', name: 'owner', role: 'owner' } as const;
  const origin = { delivery: { kind: 'external', address }, actor } as const;
  await tx.runs.insert(
    { id: run, sessionKey: key, lane: 'main', trigger: 'message', status: 'queued', origin },
    now,
  );
  const provenance = {
    kind: 'user',
    sender: { id: 'owner', name: 'owner', role: 'owner' },
    eventId: run,
  } as const;
  const text = `backlog ${n} ${round}`;
  await tx.inputs.insert({ id: inputId(`bench:${run}`), sessionKey: key, runId: run, text, provenance }, now);
}

function checkOrder(requests: readonly JournalLine[]): void {
  const next = new Array<number>(SESSIONS).fill(0);
  for (const { lastText } of requests) {
    const [, n, round] = /backlog (\d+) (\d+)/.exec(lastText) ?? [];
    if (n === undefined || next[Number(n)] !== Number(round)) {
      throw new Error(`out of order: "${lastText}" when round ${next[Number(n)]} was due`);
    }
    next[Number(n)]!++;
  }
  const missing = next.filter((count) => count !== RUNS_EACH).length;
  if (missing > 0) throw new Error(`${missing} sessions were not carried out to their end`);
}
