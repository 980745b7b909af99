/** Redis that is away, dies, forgets or is full, under the product in processes of its own. Nothing accepted is lost. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { createModelHome } from '../support/model-home.ts';
import { answerAll, expectAnswers, readyComponents, untilClosed } from '../support/questions.ts';
import { missingRedis, type RedisServer, startRedis } from '../support/redis.ts';
import { type SkeinProcess, startSkein } from '../support/skein-process.ts';
import { until } from '../support/until.ts';

async function ownRedis(): Promise<RedisServer> {
  const server = await startRedis();
  onTestFinished(() => server.remove());
  return server;
}

async function start(redis: RedisServer, config: Record<string, unknown> = {}) {
  const { home, env, model } = await createModelHome(config);
  model.reply(answerAll);
  const skein = await startSkein({ home, env: { ...env, REDIS_URL: redis.url } });
  return { skein, model };
}

function queueSays(skein: SkeinProcess, words: RegExp): Promise<true> {
  return until(async () => words.test((await readyComponents(skein)).queue ?? ''), {
    what: `the queue says ${words}`,
    seen: () => readyComponents(skein),
  });
}

async function ask(skein: SkeinProcess, question: string, conversation = 'general'): Promise<void> {
  const body = JSON.stringify({ conversation, text: question, id: question });
  const response = await skein.request('/api/webchat/messages', { method: 'POST', body });
  expect(response.status).toBe(202);
  expect(await response.json()).toMatchObject({ messageId: question, runId: expect.stringMatching(/^run_/) });
}

describe.skipIf(missingRedis() !== undefined)('Redis', () => {
  test('is down at start: messages are accepted and health says so; when it comes up they are answered once, in order', async () => {
    const redis = await ownRedis();
    await redis.stop();
    const { skein, model } = await start(redis);
    await queueSays(skein, /down/);
    await ask(skein, 'q-1');
    await ask(skein, 'q-2');
    await ask(skein, 'q-3', 'elsewhere');
    expect(model.requests).toEqual([]);

    await redis.start();
    await expectAnswers(skein, ['q-1', 'q-2']);
    await expectAnswers(skein, ['q-3'], 'elsewhere');
    await queueSays(skein, /^ready$/);
    await ask(skein, 'q-4');
    await expectAnswers(skein, ['q-1', 'q-2', 'q-4']);
    expect(model.violations).toEqual([]);
    expect(await skein.terminate()).toBe(0);
  });

  test('is killed in the middle of a run: the run goes on to its reply, later messages wait and are answered', async () => {
    const redis = await ownRedis();
    const { skein, model } = await start(redis);
    model.hold();
    await ask(skein, 'q-1');
    await model.waitForRequests(1);
    await redis.stop();
    await queueSays(skein, /down/);
    model.release();
    await expectAnswers(skein, ['q-1']);

    await ask(skein, 'q-2');
    await ask(skein, 'q-3', 'elsewhere');
    expect(model.requests).toHaveLength(1);
    await redis.start();
    await expectAnswers(skein, ['q-1', 'q-2']);
    await expectAnswers(skein, ['q-3'], 'elsewhere');
    expect(model.requests).toHaveLength(3);
    expect(await skein.terminate()).toBe(0);
  });

  test.each([
    { when: 'with a run under way', holds: true },
    { when: 'with work that waits', holds: false },
  ])('is away at the end, $when: the end is orderly, and everything is answered once', async ({ holds }) => {
    const redis = await ownRedis();
    const { home, env, model } = await createModelHome();
    model.reply(answerAll);
    const options = { home, env: { ...env, REDIS_URL: redis.url } };
    const skein = await startSkein(options);
    if (holds) {
      model.hold();
      await ask(skein, 'q-0', 'elsewhere');
      await model.waitForRequests(1);
    }
    await redis.stop();
    await queueSays(skein, /down/);
    await ask(skein, 'q-1');
    const ended = skein.terminate();
    await untilClosed(skein);
    model.release();
    expect(await ended).toBe(0);
    expect(model.requests).toHaveLength(holds ? 1 : 0);

    await redis.start();
    const again = await startSkein(options);
    await expectAnswers(again, ['q-1']);
    if (holds) await expectAnswers(again, ['q-0'], 'elsewhere');
    expect(model.requests).toHaveLength(holds ? 2 : 1);
    expect(await again.terminate()).toBe(0);
  });

  test('hangs at start: messages are accepted all the same, and answered when it goes on', async () => {
    const redis = await ownRedis();
    redis.freeze();
    const { skein, model } = await start(redis);
    await queueSays(skein, /down/);
    await ask(skein, 'q-1');
    expect(model.requests).toEqual([]);
    redis.thaw();
    await expectAnswers(skein, ['q-1']);
    await queueSays(skein, /^ready$/);
    expect(await skein.terminate()).toBe(0);
  });

  test('hangs at the end: the end is orderly and does not wait for it', async () => {
    const redis = await ownRedis();
    const { skein, model } = await start(redis);
    model.hold();
    await ask(skein, 'q-1');
    await model.waitForRequests(1);
    redis.freeze();
    const ended = skein.terminate();
    await untilClosed(skein);
    model.release();
    expect(await skein.endsWithin(10_000)).toBe(true);
    expect(await ended).toBe(0);
    redis.thaw();
  });

  test('loses every key while work is queued: all of it is answered within seconds', async () => {
    const redis = await ownRedis();
    const { skein, model } = await start(redis, { agents: { defaults: { maxConcurrent: 1 } } });
    model.hold();
    await ask(skein, 'q-1');
    await model.waitForRequests(1);
    for (const [question, conversation] of [
      ['q-2', 'b'],
      ['q-3', 'c'],
      ['q-4', 'd'],
    ] as const) {
      await ask(skein, question, conversation);
    }
    expect(await redis.command('FLUSHALL')).toContain('OK');
    model.release();
    await expectAnswers(skein, ['q-1']);
    await expectAnswers(skein, ['q-2'], 'b');
    await expectAnswers(skein, ['q-3'], 'c');
    await expectAnswers(skein, ['q-4'], 'd');
    expect(model.requests).toHaveLength(4);
  });

  test('is full: admitted work waits and health says why; it goes on when there is room', async () => {
    const redis = await ownRedis();
    const { skein, model } = await start(redis);
    await queueSays(skein, /^ready$/);
    expect(await redis.command('CONFIG', 'SET', 'maxmemory', '1')).toContain('OK');
    await ask(skein, 'q-1');
    await ask(skein, 'q-2');
    await queueSays(skein, /full|memory/i);
    expect(model.requests).toEqual([]);

    expect(await redis.command('CONFIG', 'SET', 'maxmemory', '0')).toContain('OK');
    await expectAnswers(skein, ['q-1', 'q-2']);
    await queueSays(skein, /^ready$/);
    expect(await skein.terminate()).toBe(0);
  });
});
