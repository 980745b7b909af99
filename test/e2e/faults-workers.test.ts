/** Worker processes beside a gateway: who may share a state folder, and that nothing depends on which process works. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openEvents } from '../support/event-stream.ts';
import { createModelHome } from '../support/model-home.ts';
import { answerAll, expectAnswers } from '../support/questions.ts';
import { missingRedis, startRedis } from '../support/redis.ts';
import { runSkein } from '../support/run-skein.ts';
import { type SkeinProcess, startSkein } from '../support/skein-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';
import { startWorker } from '../support/worker-process.ts';

const GATEWAY_ALONE = ['start', '--no-worker'];

async function modelHome(withRedis: boolean) {
  const { home, env, model } = await createModelHome();
  model.reply(answerAll);
  if (!withRedis) return { model, place: { home, env } };
  const redis = await startRedis();
  onTestFinished(() => redis.remove());
  return { model, place: { home, env: { ...env, REDIS_URL: redis.url } } };
}

async function firstDelta(skein: SkeinProcess): Promise<() => Promise<unknown>> {
  const token = new URL(skein.pageUrl).searchParams.get('token');
  const events = await openEvents(`${skein.url}/api/webchat/events`, { authorization: `Bearer ${token}` });
  return async () => {
    for (;;) {
      const event = await events.next();
      if (event.type === 'delta') return event.data;
    }
  };
}

describe('without Redis', () => {
  test('a worker may come before the gateway, on a fresh state folder; a second gateway is refused with 75', async () => {
    const { place } = await modelHome(false);
    const worker = await startWorker(place);
    const skein = await startSkein({ ...place, args: GATEWAY_ALONE });
    await skein.say('q-1');
    await expectAnswers(skein, ['q-1']);

    const second = await runSkein(['start', '--port', '0'], {
      cwd: place.home,
      env: { ...place.env, SKEIN_HOME: place.home },
    });
    expect(second.exitCode).toBe(75);
    expect(second.stderr).toMatch(/Another Skein is running on this state folder/);
    const other = await startWorker(place);
    await skein.say('q-2');
    await expectAnswers(skein, ['q-1', 'q-2']);
    expect(await worker.terminate()).toBe(0);
    expect(await other.terminate()).toBe(0);
    expect(await skein.terminate()).toBe(0);
  });

  test('a worker refuses a database of a newer version, and leaves it as it is', async () => {
    const home = tempDir();
    const skein = await startSkein({ home });
    expect(await skein.terminate()).toBe(0);
    const database = new Database(join(home, 'skein.db'));
    database.pragma('user_version = 9999');
    database.close();

    const ended = await runSkein(['worker'], { cwd: home, env: { SKEIN_HOME: home } });
    expect(ended).toMatchObject({ exitCode: 69, stdout: '' });
    expect(ended.stderr).toMatch(/written by a newer Skein/);
    const after = new Database(join(home, 'skein.db'), { readonly: true });
    expect(after.pragma('user_version', { simple: true })).toBe(9999);
    after.close();
  });
});

describe.skipIf(missingRedis() !== undefined)('with Redis', () => {
  test('a reply that a worker receives is seen at the gateway while it is written', async () => {
    const { model, place } = await modelHome(true);
    const skein = await startSkein({ ...place, args: GATEWAY_ALONE });
    await startWorker(place);
    const delta = await firstDelta(skein);
    const chunks = Array.from({ length: 10 }, (_, i) => `word${i} `);
    model.reply(() => ({ type: 'text', text: '', chunks, delayMs: 50 }));
    const { runId } = await skein.say('tell me more');
    expect(await delta()).toMatchObject({
      runId,
      conversation: 'general',
      text: expect.stringMatching(/^word0 /),
    });
    await skein.waitForReply(/word9/);
  });

  test('two workers share the work: each message is answered once, in order', async () => {
    const { model, place } = await modelHome(true);
    const skein = await startSkein({ ...place, args: GATEWAY_ALONE });
    const workers = [
      await startWorker({ ...place, args: ['--concurrency', '1'] }),
      await startWorker({ ...place, args: ['--concurrency', '1'] }),
    ];
    const places = ['a', 'b', 'c', 'd', 'e'];
    model.hold();
    for (const place of places) await skein.say(`q-${place}1`, { conversation: place });
    // One run at a time each: two requests mean that both are at work.
    await model.waitForRequests(2);
    for (const place of places) await skein.say(`q-${place}2`, { conversation: place });
    model.release();
    for (const place of places) await expectAnswers(skein, [`q-${place}1`, `q-${place}2`], place);

    for (const place of places) await expectAnswers(skein, [`q-${place}1`, `q-${place}2`], place);
    expect(model.violations).toEqual([]);
    for (const worker of workers) expect(await worker.terminate()).toBe(0);
    expect(await skein.terminate()).toBe(0);
  });

  test('/stop reaches a run in a worker within 2 s', async () => {
    const { model, place } = await modelHome(true);
    const skein = await startSkein({ ...place, args: GATEWAY_ALONE });
    await startWorker(place);
    model.reply(() => ({ type: 'stall', text: 'Let me think' }));
    await skein.say('q-1');
    await model.waitForRequests(1);
    await skein.say('/stop');
    await model.waitForHangUps(1, 2_000);
    model.reply(answerAll);
    await skein.say('q-2');
    await until(async () => (await skein.replies()).some((text) => text.includes('re q-2')), {
      what: 'the next message is answered',
    });
  });
});
