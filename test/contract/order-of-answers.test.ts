/** Messages of one place are taken in by the order in which they were accepted, whatever else the session has to do. */
import { expect, test } from 'vitest';
import { parseCompletionBlocks } from '../../src/core/prompt-blocks.ts';
import { createScriptedModels, HOLD, isSubagent, lastText } from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';

async function held({ models }: TestApp, words: RegExp) {
  const find = () => models.held().find(({ request }) => words.test(lastText(request)));
  await eventually(() => find() !== undefined).toBe(true);
  return find()!;
}

test('a message does not join an announcement that is ahead of an earlier message', async () => {
  const app = await startTestApp({
    models: createScriptedModels((request) => {
      const isResult = !isSubagent(request) && parseCompletionBlocks(lastText(request)).length > 0;
      return isResult ? HOLD : chatScript(request);
    }),
    config: {
      agents: { defaults: { maxConcurrent: 1 } },
      messages: { queue: { debounceMs: 0 } },
    },
  });
  await app.channel.say('spawn slow child');
  const child = await held(app, /slow child/);
  await eventually(() => app.channel.texts()).toEqual(['started']);
  await app.channel.say('slow', { conversation: 'elsewhere' });
  const elsewhere = await held(app, /^slow$/);
  app.models.release(child, 'found it');
  await eventually(async () => (await app.read.runs.counts()).queued).toBe(1);
  await app.channel.say('earlier');
  app.models.release(elsewhere, 'done');
  const announcement = await held(app, /found it/);
  await app.channel.say('later');
  app.models.release(announcement, 'child is done');
  await eventually(() => app.read.runs.allActive(10)).toEqual([]);
  const texts = () => app.channel.texts().filter((text) => text !== 'done');
  await eventually(texts).toEqual(['started', 'child is done', 're: later']);
  const asked = app.models.calls.at(-1)!.request.messages.slice(-2);
  expect(asked.map((message) => (message.role === 'user' ? message.text : ''))).toEqual(['earlier', 'later']);
});
