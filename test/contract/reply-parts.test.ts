/** How replies go out: in parts, as a file where they are very long, with tables laid out, as an answer to a message. */
import { describe, expect, test } from 'vitest';
import { createScriptedModels, HOLD, isSubagent, lastText, type Script } from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp, type TestAppParts } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

const LONG = `First sentence. ${'words and more '.repeat(1_000)}`.trim();
const TABLE = '| a | b |\n|---|---|\n| 1 | 2 |';

const start = (script: Script, parts: TestAppParts = {}) =>
  startTestApp({
    models: createScriptedModels(script),
    ...parts,
    config: { messages: { queue: { debounceMs: 0 } }, ...parts.config },
  });

async function posted({ channel }: TestApp, count: number) {
  await eventually(() => channel.messages.length).toBe(count);
  return channel.messages;
}

describe('a very long reply', () => {
  test('is its beginning and a file where files can be sent', async () => {
    const app = await start(() => LONG, { capabilities: { maxFileBytes: 1_000_000 } });
    await app.channel.say('tell me everything');
    const [message] = await posted(app, 1);
    expect(message!.text).toMatch(/^First sentence\./);
    expect(message!.text.length).toBeLessThanOrEqual(2_000);
    expect(message!.file).toEqual({ name: 'answer.md', text: LONG });
  });

  test('goes out in parts elsewhere', async () => {
    const app = await start(() => LONG);
    await app.channel.say('tell me everything');
    const messages = await posted(app, 8);
    expect(messages.every(({ text, file }) => text.length <= 2_000 && !file)).toBe(true);
    expect(messages.map(({ text }) => text).join(' ')).toBe(LONG);
  });

  test('secrets are masked in the file too', async () => {
    const key = 'sk-very-secret-key-0123456789';
    const config = { models: { providers: { openai: { apiKey: key } } } };
    const reply = `${LONG} ${key} ${LONG}`;
    const app = await start(() => reply, { capabilities: { maxFileBytes: 1_000_000 }, config });
    await app.channel.say('tell me everything');
    const [message] = await posted(app, 1);
    expect(message!.file!.text).toBe(`${LONG} [redacted] ${LONG}`);
  });
});

test('ANN-27: a result in the words of the runtime is split at the limit of the channel', async () => {
  const script: Script = (request) => {
    if (isSubagent(request)) return LONG;
    if (lastText(request) === 'go')
      return { calls: [{ name: 'sessions_spawn', arguments: { task: 't', label: 'Child' } }] };
    if (lastText(request).includes('Skein event')) return { failure: { class: 'auth', message: 'no' } };
    return 'started';
  };
  const app = await start(script);
  await app.channel.say('go');
  await eventually(() => app.channel.texts().length).toBeGreaterThan(3);
  const [child] = await app.read.sessions.descendants('agent:main:memory:channel:general' as never);
  const run = (await app.read.runs.ofSession(child!.key, 1))[0]!;
  await eventually(async () => (await app.read.announces.get(run.id))?.status).toBe('delivered');
  const texts = app.channel.texts().filter((text) => text !== 'started');
  expect(texts[0]).toMatch(/^\*\*Child\*\*\nStatus: completed successfully/);
  expect(texts.length).toBeGreaterThan(2);
  expect(texts.every((text) => text.length <= 2_000)).toBe(true);
});

test('tables are laid out where the platform does not draw them', async () => {
  const plain = await start(() => TABLE, { capabilities: { showsTables: false } });
  await plain.channel.say('a table');
  expect((await posted(plain, 1))[0]!.text).toBe('```\na  b\n-  -\n1  2\n```');
  const drawn = await start(() => TABLE);
  await drawn.channel.say('a table');
  expect((await posted(drawn, 1))[0]!.text).toBe(TABLE);
});

describe('a reply answers the message that it is about', () => {
  test('with its first part', async () => {
    const app = await start(() => LONG);
    await app.channel.say('hi', { id: 'm-1' });
    const messages = await posted(app, 8);
    expect(messages.map(({ replyTo }) => replyTo)).toEqual(['m-1', ...Array(7).fill(undefined)]);
  });

  test('the newest one that the run took in', async () => {
    const app = await start((request) => (request.messages.length === 1 ? HOLD : 'done'));
    await app.channel.say('one', { id: 'm-1' });
    await eventually(() => app.models.held().length).toBe(1);
    await app.channel.say('two', { id: 'm-2' });
    app.models.release(app.models.held()[0]!, 'first');
    expect((await posted(app, 1))[0]!.replyTo).toBe('m-2');
  });

  test('not what was pressed or given as a native command, which is no message', async () => {
    const app = await start(() => 'done');
    const command = { name: 'steer', options: { message: 'hello' } };
    await app.channel.say('/steer hello', { id: 'i-1', event: { source: 'command', command } });
    expect((await posted(app, 1))[0]).not.toHaveProperty('replyTo');
  });

  test('not one of another place, and no announcement answers anything', async () => {
    const script: Script = (request) => {
      if (isSubagent(request)) return HOLD;
      if (lastText(request) === 'go')
        return { calls: [{ name: 'sessions_spawn', arguments: { task: 't', label: 'Child' } }] };
      return lastText(request).includes('Skein event') ? 'the child is done' : 'started';
    };
    const app = await start(script);
    await app.channel.say('go', { id: 'm-1' });
    await posted(app, 1);
    await eventually(() => app.models.held().length).toBe(1);
    app.models.release(app.models.held()[0]!, 'result');
    const messages = await posted(app, 2);
    expect(messages.map(({ text, replyTo }) => [text, replyTo])).toEqual([
      ['started', 'm-1'],
      ['the child is done', undefined],
    ]);
  });

  test('also when it is looked for after an answer that was lost', async () => {
    const app = await start(() => LONG, { capabilities: { maxFileBytes: 1_000_000 } });
    app.channel.loseAnswerOf('send');
    await app.channel.say('hi', { id: 'm-1' });
    await eventually(() => app.channel.lookedFor.length).toBe(1);
    const [message] = await posted(app, 1);
    expect(app.channel.lookedFor[0]).toMatchObject({
      text: message!.text,
      replyTo: 'm-1',
      file: { text: LONG },
    });
  });
});
