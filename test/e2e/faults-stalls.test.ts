/** Models that begin and never end: a deadline ends their run, or a person does. */
import { expect, test } from 'vitest';
import { type ChatBody, type ReplyHandler, textOf } from '../fakes/model-server.ts';
import { createModelHome } from '../support/model-home.ts';
import { answerAll, expectAnswers } from '../support/questions.ts';
import { startSkein } from '../support/skein-process.ts';
import { until } from '../support/until.ts';

const ONE_SECOND = { agents: { defaults: { subagents: { runTimeoutSeconds: 1 } } } };
const spawnCall = (thread: boolean) => ({
  id: 'spawn',
  name: 'sessions_spawn',
  arguments: { task: 'dig', label: 'digger', ...(thread && { thread: true }), context: 'isolated' },
});

const isChild = ({ messages }: ChatBody) => textOf(messages[0]?.content).includes('You are a subagent');
const lastText = ({ messages }: ChatBody) => textOf(messages.at(-1)?.content);

/** Spawns a child whose model begins and then says nothing more; repeats what it is told of its end. */
function digger({ thread, yields }: { thread: boolean; yields: boolean }): ReplyHandler {
  const wait = { id: 'wait', name: 'sessions_yield', arguments: {} };
  return (body) => {
    if (isChild(body)) return { type: 'stall', text: 'I dig and' };
    if (/\btimeout\b/.test(lastText(body))) return { type: 'text', text: 'TOLD: it timed out' };
    if (body.messages.at(-1)?.role === 'tool') return { type: 'text', text: 'STARTED' };
    return { type: 'tool-calls', calls: [spawnCall(thread), ...(yields ? [wait] : [])] };
  };
}

test('a subagent whose model never ends is stopped at its time limit, and that is announced', async () => {
  const { home, env, model } = await createModelHome(ONE_SECOND);
  model.reply(digger({ thread: false, yields: false }));
  const skein = await startSkein({ home, env });
  await skein.say('go');
  await skein.waitForReply(/^STARTED$/);
  await skein.waitForReply(/^TOLD: it timed out$/);
  await model.waitForHangUps(1, 1_000);
  expect(await skein.replies()).toEqual(['STARTED', 'TOLD: it timed out']);
  expect(model.violations).toEqual([]);
});

test('a wait for a subagent that never ends is over with its time limit', async () => {
  const { home, env, model } = await createModelHome(ONE_SECOND);
  model.reply(digger({ thread: false, yields: true }));
  const skein = await startSkein({ home, env });
  await skein.say('go');
  await skein.waitForReply(/^TOLD: it timed out$/);
  expect(await skein.replies()).toEqual(['TOLD: it timed out']);
  expect(model.violations).toEqual([]);
});

test('in a thread, the card and the thread say that its time was up, and it can be spoken to again', async () => {
  const { home, env, model } = await createModelHome(ONE_SECOND);
  model.reply(digger({ thread: true, yields: false }));
  const skein = await startSkein({ home, env });
  await skein.say('go');
  const { id: thread } = await skein.waitForThread();
  await skein.waitForReply(/ran out of time/, { thread });
  await until(
    async () => (await skein.messages()).find(({ card }) => card !== undefined)?.card?.state === 'timed_out',
    { what: 'the card says that it timed out' },
  );
  model.reply(answerAll);
  await skein.say('q-1', { thread });
  await skein.waitForReply(/^re q-1$/, { thread });
});

test('a stream that stalls is let go within 2 s of /stop, and the next message is answered', async () => {
  const { home, env, model } = await createModelHome();
  model.reply(() => ({ type: 'stall', text: 'Let me think', keepAliveMs: 100 }));
  const skein = await startSkein({ home, env });
  await skein.say('well?');
  await model.waitForRequests(1);
  await skein.say('/stop');
  await model.waitForHangUps(1, 2_000);
  await skein.waitForReply(/^Stopped/);
  model.reply(answerAll);
  await skein.say('q-1');
  await expectAnswers(skein, ['q-1']);
  expect(model.requests).toHaveLength(2);
});

test('a provider that accepts and never answers is let go within 2 s of /stop too', async () => {
  const { home, env, model } = await createModelHome();
  model.reply(() => ({ type: 'stall' }));
  const skein = await startSkein({ home, env });
  await skein.say('well?');
  await model.waitForRequests(1);
  await skein.say('/stop');
  await model.waitForHangUps(1, 2_000);
  model.reply(answerAll);
  await skein.say('q-1');
  await expectAnswers(skein, ['q-1']);
});
