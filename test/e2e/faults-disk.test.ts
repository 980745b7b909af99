/** A full disk under the product: a clear word to whoever asks, nothing written by halves, and no help needed afterwards. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ReplyHandler, textOf } from '../fakes/model-server.ts';
import { createModelHome } from '../support/model-home.ts';
import { answerAll, expectAnswers } from '../support/questions.ts';
import { type SkeinProcess, startSkein } from '../support/skein-process.ts';
import { missingSmallDisk, mountSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const missing = missingSmallDisk();
if (missing !== undefined) process.stderr.write(`\n*** The tests of a full disk DO NOT RUN: ${missing}\n`);

const DISK_MB = 8;
const NO_SPACE = /^skein: .*no space left.*\n$/;
/** A lease of 10 s may have to run out first. */
const RECOVERY_MS = 20_000;

async function smallPlace(config: Record<string, unknown> = {}) {
  const { home, env, model } = await createModelHome(config);
  model.reply(answerAll);
  const disk = await mountSmallDisk(DISK_MB);
  const place = {
    home: disk.path,
    through: disk.through,
    env: { ...env, SKEIN_CONFIG: join(home, 'skein.json5') },
  };
  return { disk, place, model };
}

function post(skein: SkeinProcess, question: string, conversation = 'general'): Promise<Response> {
  const body = JSON.stringify({ conversation, text: question, id: question });
  return skein.request('/api/webchat/messages', { method: 'POST', body });
}

const logged = (skein: SkeinProcess, words: RegExp) =>
  until(() => words.test(skein.output().stderr), {
    what: `the log says ${words}`,
    seen: () => skein.output().stderr,
  });

describe.skipIf(missing !== undefined)('a full disk', () => {
  test('a message is refused with a clear error and can be sent again under its id once there is room', async () => {
    const { disk, place } = await smallPlace();
    const skein = await startSkein(place);
    await skein.say('q-1');
    await expectAnswers(skein, ['q-1']);
    disk.fill();

    const refused = await post(skein, 'q-2');
    expect(refused.status).toBe(507);
    expect(await refused.json()).toEqual({
      error: { code: 'storage_full', message: expect.stringMatching(/no space left/) },
    });
    expect((await post(skein, 'q-2')).status).toBe(507);
    expect((await skein.request('/healthz')).status).toBe(200);
    expect((await skein.messages()).map(({ text }) => text)).toEqual(['q-1', 're q-1']);
    await logged(skein, /disk is full/);

    disk.free();
    expect((await post(skein, 'q-2')).status).toBe(202);
    expect((await post(skein, 'q-2')).status).toBe(202);
    await expectAnswers(skein, ['q-1', 'q-2']);
    await post(skein, 'q-3');
    await expectAnswers(skein, ['q-1', 'q-2', 'q-3']);
    expect(await skein.terminate()).toBe(0);
  });

  test('a reply that cannot be stored is given once there is room, exactly once', async () => {
    const { disk, place, model } = await smallPlace();
    const skein = await startSkein(place);
    model.hold();
    await skein.say('q-1');
    await model.waitForRequests(1);
    disk.fill();
    model.release();
    await logged(skein, /disk is full/);
    expect(await skein.replies()).toEqual([]);
    disk.free();
    await expectAnswers(skein, ['q-1'], 'general', RECOVERY_MS);
    await skein.say('q-2');
    await expectAnswers(skein, ['q-1', 'q-2']);
    expect(model.violations).toEqual([]);
    expect(await skein.terminate()).toBe(0);
  });

  test('an end is orderly and in time, and the reply is given after the next start', async () => {
    const { disk, place, model } = await smallPlace({ shutdown: { graceSeconds: 1 } });
    const skein = await startSkein(place);
    model.hold();
    await skein.say('q-1');
    await model.waitForRequests(1);
    disk.fill();
    model.release();
    await logged(skein, /disk is full/);
    const ended = skein.terminate();
    expect(await skein.endsWithin(5_000)).toBe(true);
    expect(await ended).toBe(0);

    disk.free();
    const again = await startSkein(place);
    await expectAnswers(again, ['q-1']);
    expect(model.requests).toHaveLength(2);
  });

  test('a start is refused with a sentence and 69, and works once there is room', async () => {
    const { disk, place } = await smallPlace();
    // Too little for the lock, for the token, for what the database shares, and for its tables.
    for (const kibibytes of [0, 4, 16, 100]) {
      disk.fill(kibibytes * 1024);
      const refused = await startSkein({ ...place, mayEndEarly: true });
      expect(await refused.terminate()).toBe(69);
      expect(refused.output()).toEqual({ stdout: '', stderr: expect.stringMatching(NO_SPACE) });
    }

    disk.free();
    const skein = await startSkein(place);
    await skein.say('q-1');
    await expectAnswers(skein, ['q-1']);
    expect(await skein.terminate()).toBe(0);

    disk.fill();
    const again = await startSkein({ ...place, mayEndEarly: true });
    expect(await again.terminate()).toBe(69);
    expect(again.output().stderr).toMatch(NO_SPACE);
  });

  test('in the middle of spawns: each subagent is there once, with its thread, and reports once', async () => {
    const { disk, place, model } = await smallPlace();
    model.reply(spawnOne);
    const skein = await startSkein(place);
    const places = ['a', 'b', 'c', 'd'];
    model.hold();
    for (const conversation of places) await skein.say('go', { conversation });
    await model.waitForRequests(places.length);
    // Room for some of it.
    disk.fill(100 * 1024);
    model.release();
    await logged(skein, /disk is full/);
    disk.free();

    for (const conversation of places) {
      const { id: thread } = await skein.waitForThread(conversation);
      await skein.waitForReply(/^FOUND$/, { conversation, thread }, RECOVERY_MS);
      await skein.waitForReply(/^STARTED$/, { conversation }, RECOVERY_MS);
      await until(async () => (await cards(skein, conversation)).includes('succeeded'), {
        what: 'the card is done',
      });
      expect(await cards(skein, conversation)).toEqual(['succeeded']);
      expect(await skein.threads(conversation)).toHaveLength(1);
      expect(await skein.replies({ conversation })).toHaveLength(2);
    }
    expect(model.violations).toEqual([]);
    expect(await skein.terminate()).toBe(0);
  });
});

const spawnOne: ReplyHandler = ({ messages }) => {
  const said = messages.map(({ content }) => textOf(content)).join('\n');
  if (said.includes('You are a subagent')) return { type: 'text', text: 'FOUND' };
  if (messages.at(-1)?.role === 'tool') return { type: 'text', text: 'STARTED' };
  const args = { task: 'dig', label: 'digger', thread: true, context: 'isolated' };
  return { type: 'tool-calls', calls: [{ id: 'a', name: 'sessions_spawn', arguments: args }] };
};

async function cards(skein: SkeinProcess, conversation: string): Promise<readonly string[]> {
  return (await skein.messages({ conversation })).flatMap(({ card }) => (card ? [card.state] : []));
}
