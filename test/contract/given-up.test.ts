/** What a run had said or was owed is not lost when it ends in an unusual way. */
import { expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import { createScriptedModels, HOLD, lastText } from '../fakes/scripted-models.ts';
import { startTestApp } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';

const GENERAL = 'agent:main:memory:channel:general' as SessionKey;

test('an answer that was complete before a fault of ours is still posted', async () => {
  const models = createScriptedModels((request) => {
    if (lastText(request) === 'addition') throw new Error('a fault of ours');
    return HOLD;
  });
  const app = await startTestApp({ models, config: { messages: { queue: { debounceMs: 0 } } } });
  await app.channel.say('question');
  await eventually(() => models.held()).toHaveLength(1);
  await app.channel.say('addition');
  models.release(models.held()[0]!, 'the answer');
  await eventually(() => app.channel.texts().join('\n')).toMatch(
    /^the answer\n[\s\S]*I could not answer this/,
  );
});

test('interrupt: what a replaced task owed to its requester is announced by the run that replaces it', async () => {
  const app = await startTestApp({
    models: createScriptedModels(chatScript),
    config: { messages: { queue: { mode: 'interrupt' } } },
  });
  await app.channel.say('spawn thread slow digging');
  await eventually(() => app.channel.threads.length).toBe(1);
  const thread = app.channel.threads[0]!.id;
  await eventually(() => app.models.held()).toHaveLength(1);
  await app.channel.say('do this instead', { thread });
  await eventually(() => app.channel.texts(thread)).toContain('re: do this instead');
  const [child] = await app.read.sessions.children(GENERAL);
  const runs = await app.read.runs.ofSession(child!.key, 5);
  expect(runs.map(({ status }) => status)).toEqual(['succeeded', 'cancelled']);
  expect(await app.read.announces.get(runs[0]!.id)).toMatchObject({ requesterKey: GENERAL });
});

test('interrupt: a message in one place does not stop the work of another one', async () => {
  const app = await startTestApp({
    models: createScriptedModels(chatScript),
    config: { messages: { queue: { mode: 'interrupt' } } },
  });
  await app.channel.say('spawn thread digger');
  await eventually(() => app.channel.threads.length).toBe(1);
  const thread = app.channel.threads[0]!.id;
  await eventually(() => app.channel.texts(thread)).toContain('re: digger');
  const other = app.channel.openPlainThread();
  await app.channel.say('/focus digger', { thread: other });
  await app.channel.say('slow one', { thread });
  await eventually(() => app.models.held()).toHaveLength(1);
  await app.channel.say('two', { thread: other });
  app.models.release(app.models.held()[0]!, 'one is done');
  await eventually(() => app.channel.texts(thread)).toContain('one is done');
  await eventually(() => app.channel.texts(other)).toContain('re: two');
});
