/** A turn that fails or is given up half-way: what it had said already is said, and what it was given is told once. */
import { expect, test } from 'vitest';
import { parseCompletionBlocks } from '../../src/core/prompt-blocks.ts';
import type { ModelRequest } from '../../src/ports/model.ts';
import {
  createScriptedModels,
  HOLD,
  isSubagent,
  lastText,
  type Script,
  type ScriptedReply,
} from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';

const REFUSED: ScriptedReply = { failure: { class: 'auth', message: 'no' } };

const hasResult = (request: ModelRequest) =>
  !isSubagent(request) && parseCompletionBlocks(lastText(request)).length > 0;

function start(script: Script, parts: { after?: TestApp; worksItself?: boolean } = {}): Promise<TestApp> {
  return startTestApp({
    models: createScriptedModels(script),
    config: { messages: { queue: { debounceMs: 0 } } },
    ...parts,
  });
}

/** As if its process had died three times: the next claim gives it up. */
async function giveUp(app: TestApp): Promise<TestApp> {
  await app.stop();
  const idle = await start(chatScript, { after: app, worksItself: false });
  const [run] = await idle.read.runs.allActive(1);
  await idle.store.transaction((tx) => tx.runs.update(run!.id, { from: ['queued'] }, { attempt: 3 }));
  await idle.stop();
  return start(chatScript, { after: idle });
}

test('results that were posted as they are are not told again by the next turn', async () => {
  const app = await start((request) => (hasResult(request) ? REFUSED : chatScript(request)));
  await app.channel.say('spawn quick');
  await eventually(() => app.channel.texts().at(-1)).toMatch(/^\*\*quick\*\*\nStatus:/);
  await app.channel.say('hello');
  await eventually(() => app.models.calls.at(-1)?.request.messages.length).toBeGreaterThan(5);
  const told = app.models.calls.at(-1)!.request.messages;
  const texts = told.map((message) => (message.role === 'user' ? message.text : ''));
  expect(texts.join('\n')).toMatch(/have been posted to the person as they are.*: quick\. Do not repeat/);
});

test('an answer that was given before the turn was given up is posted, before the note about it', async () => {
  const app = await start(chatScript);
  await app.channel.say('slow question');
  await eventually(() => app.models.held().length).toBe(1);
  await app.channel.say('slow addition');
  app.models.release(app.models.held()[0]!, 'the answer');
  await eventually(() => app.models.calls.length).toBe(2);
  const again = await giveUp(app);
  await eventually(() => again.channel.texts()).toEqual([
    'the answer',
    expect.stringMatching(/^I was interrupted three times/),
  ]);
});

/** A result is being put into words when somebody says something, and the step that would answer it fails. */
async function joinedAnnouncement(atTheEnd: ScriptedReply | typeof HOLD): Promise<TestApp> {
  const app = await start((request) => {
    if (lastText(request) === 'by the way') return atTheEnd;
    return hasResult(request) ? HOLD : chatScript(request);
  });
  await app.channel.say('spawn quick');
  await eventually(() => app.models.held().length).toBe(1);
  await app.channel.say('by the way');
  app.models.release(app.models.held()[0]!, 'quick is done');
  return app;
}

test('a result that was put into words before its turn failed is not posted once more', async () => {
  const app = await joinedAnnouncement(REFUSED);
  await eventually(() => app.read.runs.allActive(10)).toEqual([]);
  await eventually(() => app.channel.texts().at(-1)).toMatch(/^quick is done/);
  expect(app.channel.texts().join('\n')).not.toContain('Status:');
});

test('whoever spoke while a result was told hears that the answer failed', async () => {
  const app = await joinedAnnouncement(REFUSED);
  await eventually(() => app.channel.texts().at(-1)).toMatch(/^quick is done\n\n.+/);
});

test('whoever spoke while a result was told is offered to resume an answer that was given up', async () => {
  const app = await joinedAnnouncement(HOLD);
  await eventually(() => app.models.calls.at(-1)?.state).toBe('held');
  await eventually(() => lastText(app.models.calls.at(-1)!.request)).toBe('by the way');
  const again = await giveUp(app);
  await eventually(() => again.channel.texts().slice(1)).toEqual([
    'quick is done',
    expect.stringMatching(/^I was interrupted three times/),
  ]);
});
