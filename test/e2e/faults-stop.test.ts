/** Ends in order, in time and at once: what was accepted is answered once all the same, now or after the next start. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteStore } from '../../adapters/sql/index.ts';
import { createModelHome } from '../support/model-home.ts';
import { answerAll, answeredIn, expectAnswers, untilClosed } from '../support/questions.ts';
import { startSkein } from '../support/skein-process.ts';
import { databaseSettings } from '../support/sql-fixtures.ts';
import { until } from '../support/until.ts';
import { startWorker } from '../support/worker-process.ts';

async function place(graceSeconds: number) {
  const { home, env, model } = await createModelHome({ shutdown: { graceSeconds } });
  model.reply(answerAll);
  return { model, place: { home, env } };
}

/** What the bot has said, read from the state folder of a process that has ended. */
async function storedReplies(home: string): Promise<readonly string[]> {
  const stores = await openSqliteStore(databaseSettings(join(home, 'skein.db')));
  const messages = await stores.chat.messages({ conversation: 'general', limit: 100 });
  await stores.close();
  return messages.filter(({ author }) => author.kind === 'bot').map(({ text }) => text);
}

test('SIGTERM: a run under way finishes and its reply is delivered before the end, with exit code 0', async () => {
  const { model, place: home } = await place(30);
  const skein = await startSkein(home);
  model.hold();
  await skein.say('q-1');
  await model.waitForRequests(1);
  const ended = skein.terminate();
  await untilClosed(skein);
  model.release();
  expect(await ended).toBe(0);
  expect(answeredIn(await storedReplies(home.home))).toEqual(['q-1']);

  const again = await startSkein(home);
  await again.say('q-2');
  await expectAnswers(again, ['q-1', 'q-2']);
  expect(model.requests).toHaveLength(2);
});

test('SIGTERM: a reply of several parts is delivered whole before the end', async () => {
  const { model, place: home } = await place(30);
  const skein = await startSkein(home);
  const sentence = 'Tea came to Europe by sea. ';
  model.reply(() => ({ type: 'text', text: '', chunks: [sentence.repeat(3_000)] }));
  model.hold();
  await skein.say('tell me more');
  await model.waitForRequests(1);
  const ended = skein.terminate();
  await untilClosed(skein);
  model.release();
  expect(await ended).toBe(0);
  const said = await storedReplies(home.home);
  expect(said.length).toBeGreaterThan(1);
  expect(said.join(' ').match(/Tea came/g)).toHaveLength(3_000);
});

test('SIGTERM: a run that takes longer than the grace is given back, goes on after the next start and is answered once', async () => {
  const { model, place: home } = await place(1);
  const skein = await startSkein(home);
  model.hold();
  await skein.say('q-1');
  await model.waitForRequests(1);
  const startedAt = performance.now();
  expect(await skein.terminate()).toBe(0);
  const tookMs = performance.now() - startedAt;
  expect(tookMs).toBeGreaterThan(900);
  expect(tookMs).toBeLessThan(3_000);
  await model.waitForHangUps(1, 1_000);

  const again = await startSkein(home);
  await model.waitForRequests(2);
  model.release();
  await expectAnswers(again, ['q-1']);
  await again.say('q-2');
  await expectAnswers(again, ['q-1', 'q-2']);
  expect(model.violations).toEqual([]);
});

test('a second SIGTERM ends it at once, however long the grace; the run is answered once after the next start', async () => {
  const { model, place: home } = await place(30);
  const skein = await startSkein(home);
  model.hold();
  await skein.say('q-1');
  await model.waitForRequests(1);
  const startedAt = performance.now();
  const ended = skein.terminate();
  // Signals within a second count as one, however many come.
  await until(
    async () => {
      if (await skein.endsWithin(50)) return true;
      process.kill(skein.pid, 'SIGTERM');
      return false;
    },
    { what: 'the process ends' },
  );
  expect(await ended).toBe(143);
  const tookMs = performance.now() - startedAt;
  expect(tookMs).toBeGreaterThan(1_000);
  expect(tookMs).toBeLessThan(3_000);

  const again = await startSkein(home);
  await model.waitForRequests(2);
  model.release();
  await expectAnswers(again, ['q-1']);
});

test('messages that arrive while it stops are accepted or refused, never lost: what was accepted is answered once', async () => {
  const { model, place: home } = await place(30);
  const skein = await startSkein(home);
  const accepted: string[] = [];
  const refused: string[] = [];
  let ended: Promise<number | null> | undefined;
  for (let n = 0; refused.length < 3; n++) {
    const id = `q-${String(n).padStart(3, '0')}`;
    if (n === 20) ended = skein.terminate();
    const status = await skein
      .request('/api/webchat/messages', {
        method: 'POST',
        body: JSON.stringify({ conversation: 'general', text: id, id }),
      })
      .then(
        (response) => response.status,
        () => undefined,
      );
    if (status === 202) accepted.push(id);
    else expect([undefined, 503]).toContain(status);
    if (status !== 202) refused.push(id);
  }
  expect(accepted.length).toBeGreaterThanOrEqual(20);
  expect(await ended).toBe(0);

  const again = await startSkein(home);
  for (const id of refused) await again.say(id, { id });
  await expectAnswers(again, [...accepted, ...refused]);
  expect(model.violations).toEqual([]);
});

test('a worker that is told to end finishes its run, which is delivered by the gateway', async () => {
  const { model, place: home } = await place(30);
  const skein = await startSkein({ ...home, args: ['start', '--no-worker'] });
  const worker = await startWorker(home);
  model.hold();
  await skein.say('q-1');
  await model.waitForRequests(1);
  const ended = worker.terminate();
  await skein.say('q-2', { conversation: 'elsewhere' });
  model.release();
  expect(await ended).toBe(0);
  await expectAnswers(skein, ['q-1']);

  const other = await startWorker(home);
  await expectAnswers(skein, ['q-2'], 'elsewhere');
  expect(model.requests).toHaveLength(2);
  expect(await other.terminate()).toBe(0);
});
