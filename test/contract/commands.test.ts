/** Commands as people give them in a channel: what they answer, that they act once, and that they never wait. */
import { expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import type { Saying } from '../fakes/memory-channel.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp, type TestAppParts } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';

const GENERAL = 'agent:main:memory:channel:general' as SessionKey;

const start = (parts: TestAppParts = {}) =>
  startTestApp({ models: createScriptedModels(chatScript, ['fake/other']), ...parts });

async function command({ channel }: TestApp, text: string, saying: Saying = {}): Promise<string> {
  return (await channel.say(text, saying)).replies.join('\n');
}

const children = ({ read }: TestApp) => read.sessions.children(GENERAL);

test('CMD-01: /subagents list numbers the subagents of this session, with status, label and runtime', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  expect(await command(app, '/subagents list')).toBe('No subagents here yet.');
  await app.channel.say('spawn quick');
  await expect.poll(() => app.channel.texts()).toContain('heard of quick');
  await app.channel.say('spawn slow plans');
  await expect.poll(() => app.models.held().length).toBe(1);
  await expect.poll(() => app.read.runs.active(GENERAL)).toEqual([]);
  clock.advance(65_000);
  const rows = (await command(app, '/subagents list')).split('\n');
  expect(rows).toEqual([
    expect.stringMatching(/^#1 \*\*quick\*\* succeeded 0s `run_[0-9a-f]{8}`$/),
    expect.stringMatching(/^#2 \*\*slow plans\*\* running 1m 5s `run_[0-9a-f]{8}`$/),
  ]);
  expect(await command(app, '/subagents list', { conversation: 'other' })).toBe('No subagents here yet.');
});

test('CMD-07, CMD-08: /subagents spawn answers with the run id at once and reports to the requesting chat once', async () => {
  const app = await start();
  const answer = await command(app, '/subagents spawn main collect the notes');
  expect(answer).toMatch(/^Started \*\*subagent 1\*\* as `run_\w+`\. The result will come here\.$/);
  await expect.poll(() => app.channel.texts()).toEqual(['heard of subagent 1']);
  const [child] = await children(app);
  expect(child).toMatchObject({ mode: 'run', agentId: 'main' });
  const [run] = await app.read.runs.ofSession(child!.key, 1);
  expect(answer).toContain(run!.id);
  expect(run!.outcome?.text).toBe('re: collect the notes');
});

test('CMD-07: flags choose model and thinking for that subagent, and an unknown model is a warning', async () => {
  const app = await start();
  await command(app, '/subagents spawn main look --model fake/other --thinking high at "this"');
  await expect.poll(() => app.models.calls.length).toBeGreaterThan(0);
  const { request } = app.models.calls[0]!;
  expect(request).toMatchObject({ model: 'fake/other', thinking: 'high' });
  expect(request.messages).toEqual([{ role: 'user', text: '[Subagent Task]\nlook at "this"' }]);
  expect(await command(app, '/subagents spawn main look --model nobody/none')).toMatch(
    /^Started \*\*subagent \d\*\* as `run_\w+` \(model "nobody\/none" is not available; the default model is used\)\./,
  );
});

test('CMD-08: the result comes to where the command was given, also when the session has spoken elsewhere since', async () => {
  const app = await start();
  const thread = app.channel.openPlainThread();
  await command(app, `/focus ${GENERAL}`, { thread });
  await app.channel.say('first', { conversation: 'general' });
  await expect.poll(() => app.channel.texts()).toContain('re: first');
  await command(app, '/subagents spawn main notes', { thread });
  await expect.poll(() => app.channel.texts(thread)).toContain('heard of subagent 1');
  expect(app.channel.texts()).toEqual(['re: first']);
});

test.each([
  [
    '/subagents spawn nobody notes',
    /^Not started: there is no agent "nobody"; this session may spawn: main\.$/,
  ],
  [
    '/subagents spawn other notes',
    /^Not started: agent "other" may not be spawned from here .*allowed: main\.$/,
  ],
])('SPAWN-24: %s is refused and nothing is made', async (text, answer) => {
  const app = await start({ config: { agents: { list: [{ id: 'other' }] } } });
  expect(await command(app, text)).toMatch(answer);
  expect(await children(app)).toEqual([]);
});

test.each([
  ['/subagents nonsense', 'Usage: /subagents <list|info|spawn|kill>'],
  ['/subagents info', 'Usage: /subagents info <target>'],
  ['/subagents spawn', /^Usage: \/subagents spawn <agentId> <task> /],
  ['/subagents spawn main', /^Usage: \/subagents spawn <agentId> <task> /],
  ['/subagents spawn main x --thinking wildly', /^Usage: \/subagents spawn <agentId> <task> /],
  ['/subagents kill', 'Usage: /subagents kill <target>'],
  ['/focus', 'Usage: /focus <target>'],
  ['/session', 'Usage: /session <idle|max-age|unbind>'],
  ['/session idle soon', /^Usage: \/session idle \[duration\] \(30m, 2h, 1d or off; .*\)$/],
  ['/stop now', 'Usage: /stop'],
  ['/agents all', 'Usage: /agents'],
])('CMD-27: %s answers with one line of usage', async (text, usage) => {
  const app = await start();
  const answer = await command(app, text);
  expect(answer).toMatch(
    usage instanceof RegExp ? usage : new RegExp(`^${usage.replace(/[|[\]]/g, '\\$&')}$`),
  );
  expect(answer).not.toContain('\n');
});

test.each([
  ['/subagents kill 7', 'There is no "7", and no subagent here.'],
  ['/subagents kill all', 'Nothing was running.'],
])('CMD-02: %s where there is none says so', async (text, answer) => {
  expect(await command(await start(), text)).toBe(answer);
});

test('CMD-02: an ambiguous label lists the numbers to choose from', async () => {
  const app = await start();
  await app.channel.say('spawn slow notes, slow notes');
  await expect.poll(() => app.models.held().length).toBe(2);
  expect(await command(app, '/subagents kill "slow notes"')).toBe(
    '"slow notes" fits more than one: #1 slow notes, #2 slow notes. Use the number.',
  );
  expect(app.models.held()).toHaveLength(2);
});

test('CMD-02: a label of several words needs no quotes', async () => {
  const app = await start();
  await app.channel.say('spawn slow notes');
  await expect.poll(() => app.models.held().length).toBe(1);
  expect(await command(app, '/subagents kill Slow Notes')).toBe('Stopped **slow notes**.');
});

test('CMD-25: command names are read in any case, with "!" and with a colon', async () => {
  const app = await start();
  for (const text of ['/STATUS', '!status', '/Subagents: list', '/agents', '  /status'])
    expect((await app.channel.say(text)).receipt.status, text).toBe('command');
  expect(app.models.calls).toEqual([]);
});

test('CMD-20: /status shows use, time, model, state and subagents', async () => {
  const app = await start({ clock: createManualClock(Date.UTC(2026, 0, 5, 12)) });
  expect(await command(app, '/status')).toContain('Model: the default one, not used yet');
  await app.channel.say('spawn slow notes');
  await expect.poll(() => app.channel.texts()).toEqual(['started']);
  const shown = await command(app, '/status');
  for (const part of [
    '**#general** (agent main)',
    'Model: fake/model',
    'Tokens: 20 in, 10 out',
    'Work: idle',
    'Subagents: 1 active, 1 in all',
    'Time: 2026-01-05',
  ])
    expect(shown).toContain(part);
  await app.channel.say('slow question');
  await expect.poll(() => command(app, '/status')).toContain('Work: running');
});

test('CMD-23: /help lists every command, and one when asked for it', async () => {
  const app = await start();
  const all = await command(app, '/help');
  for (const name of [
    'focus',
    'unfocus',
    'session idle',
    'agents',
    'subagents kill',
    'stop',
    'status',
    'help',
  ])
    expect(all).toContain(`\`/${name}`);
  expect((await command(app, '/help session')).split('\n')).toHaveLength(3);
  expect(await command(app, '/help session idle')).toBe(
    '`/session idle [duration]` Show or set how long this thread may be silent before it is unfocused\n' +
      '- `duration`: 30m, 2h, 1d or off; a bare number means hours',
  );
  expect(await command(app, '/help nothing')).toBe('There is no command "nothing". `/help` lists them all.');
});

test('a command given twice with the same event acts once and answers the same', async () => {
  const app = await start();
  const first = await app.channel.say('/subagents spawn main notes', { id: 'e1' });
  const again = await app.channel.say('/subagents spawn main notes', { id: 'e1' });
  expect(again).toEqual(first);
  expect(await children(app)).toHaveLength(1);
  await app.channel.say('slow question');
  await expect.poll(() => app.models.held().length).toBe(1);
  const stopped = await app.channel.say('/stop', { id: 'e2' });
  await expect.poll(() => app.models.held().length).toBe(0);
  expect(await app.channel.say('/stop', { id: 'e2' })).toEqual(stopped);
});

test('a message offered twice makes one run', async () => {
  const app = await start();
  const [first, again] = await Promise.all([
    app.channel.say('hello', { id: 'e1' }),
    app.channel.say('hello', { id: 'e1' }),
  ]);
  expect(again).toEqual(first);
  await expect.poll(() => app.channel.texts()).toEqual(['re: hello']);
  expect(await app.read.runs.ofSession(GENERAL, 5)).toHaveLength(1);
});

test('C1: no command waits behind a run', async () => {
  const app = await start();
  await app.channel.say('slow question');
  await expect.poll(() => app.models.held().length).toBe(1);
  for (const text of [
    '/status',
    '/agents',
    '/subagents list',
    '/subagents spawn main notes',
    '/focus nobody',
    '/help',
  ])
    expect(await command(app, text), text).not.toBe('');
  expect(app.models.held()).toHaveLength(1);
});

test('an unknown command is a message for the agent, unchanged', async () => {
  const app = await start();
  const { receipt, replies } = await app.channel.say('/foo  bar');
  expect(receipt.status).toBe('admitted');
  expect(replies).toEqual([]);
  await expect.poll(() => app.channel.texts()).toEqual(['re: /foo  bar']);
});

test('commands leave no trace in the transcript', async () => {
  const app = await start();
  await command(app, '/status');
  await command(app, '/help');
  expect(await app.read.entries.list(GENERAL)).toEqual([]);
});

test('commands are completed with what there is here', async () => {
  const app = await start();
  await app.channel.say('spawn quick, slow notes, slow plans');
  await expect.poll(() => app.models.held().length).toBe(2);
  const choices = async (text: string) =>
    (await app.channel.complete(text)).map((choice) => choice.text.trim());
  expect(await choices('/subagents k')).toEqual(['/subagents kill']);
  await expect.poll(() => app.channel.texts()).toContain('heard of quick');
  expect(await choices('/subagents kill ')).toEqual([
    '/subagents kill 2',
    '/subagents kill 3',
    '/subagents kill all',
  ]);
  expect(await choices('/subagents info ')).toEqual([1, 2, 3].map((number) => `/subagents info ${number}`));
  expect(await choices('/focus 2')).toEqual(['/focus 2']);
  await command(app, '/subagents kill all');
  await expect.poll(() => choices('/subagents kill ')).toEqual([]);
});

test('F9: long texts reach the model whole, as message, as task and in a thread', async () => {
  const app = await start();
  const long = `${'Größe 👩‍👩‍👧 '.repeat(500)}end`;
  await app.channel.say(long);
  await expect
    .poll(() => app.models.calls.at(-1)?.request.messages.at(-1))
    .toEqual({ role: 'user', text: long });
  await app.channel.say(`/subagents spawn main ${long}`);
  await expect
    .poll(() =>
      app.models.calls.some(({ request }) =>
        JSON.stringify(request.messages).includes(JSON.stringify(`[Subagent Task]\n${long}`)),
      ),
    )
    .toBe(true);
});
