/** `/focus`, `/unfocus` and the timers of a thread: who is in it, who may change that, and what people are told. */
import { expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import type { Saying } from '../fakes/memory-channel.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { startTestApp, type TestApp, type TestAppParts } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';

const GENERAL = 'agent:main:memory:channel:general' as SessionKey;
const GENERAL_PLACE = {
  channel: 'memory',
  account: 'default',
  chatType: 'channel',
  conversation: 'general',
} as const;
const HOUR = 3_600_000;

const start = (parts: TestAppParts = {}) =>
  startTestApp({ models: createScriptedModels(chatScript), ...parts });

async function command({ channel }: TestApp, text: string, saying: Saying = {}): Promise<string> {
  return (await channel.say(text, saying)).replies.join('\n');
}

/** Subagents without threads, all of them done. */
async function withSubagents(app: TestApp, names: string, saying: Saying = {}): Promise<void> {
  await app.channel.say(`spawn ${names}`, saying);
  for (const name of names.split(', ')) {
    await expect.poll(() => app.channel.texts().join('\n')).toMatch(new RegExp(`heard of .*${name}`));
  }
}

/** A subagent that was spawned into a thread by that user, and has answered there. */
async function inThread(app: TestApp, name: string, user = 'owner'): Promise<string> {
  await app.channel.say(`spawn thread ${name}`, { user });
  await expect.poll(() => app.channel.texts(app.channel.threads.at(-1)?.id)).toContain(`re: ${name}`);
  return app.channel.threads.at(-1)!.id;
}

const sessionBoundTo = async ({ read }: TestApp, thread: string) =>
  (
    await read.bindings.live({
      ...GENERAL_PLACE,
      thread,
    })
  )?.label;

test('BIND-10: /focus in a channel opens a thread, binds it, and what is written there reaches the session', async () => {
  const app = await start();
  await withSubagents(app, 'notes');
  expect(await command(app, '/focus notes')).toBe('');
  await expect.poll(() => app.channel.threads.map(({ title }) => title)).toEqual(['notes']);
  const thread = app.channel.threads[0]!.id;
  await expect
    .poll(() => app.channel.texts(thread).join())
    .toContain('**notes** (agent main) is in this thread.');
  await app.channel.say('are you there', { thread });
  await expect.poll(() => app.channel.texts(thread)).toContain('re: are you there');
  const [child] = await app.read.sessions.children(GENERAL);
  expect((await app.read.entries.tail(child!.key, 2))[0]?.content).toMatchObject({ text: 'are you there' });
});

test('BIND-10: /focus in a thread binds that thread and answers with the notice alone', async () => {
  const app = await start();
  await withSubagents(app, 'notes');
  const thread = app.channel.openPlainThread();
  expect(await command(app, '/focus notes', { thread })).toBe('');
  await expect.poll(() => app.channel.texts(thread)).toHaveLength(1);
  expect(app.channel.threads).toEqual([]);
  expect(await sessionBoundTo(app, thread)).toBe('notes');
});

test('CMD-11: a label of several words is found with and without quotes', async () => {
  const app = await start();
  await withSubagents(app, 'tea notes');
  const thread = app.channel.openPlainThread();
  for (const target of ['Tea Notes', '"tea notes"']) {
    expect(await command(app, `/focus ${target}`, { thread })).toBe('');
    expect(await sessionBoundTo(app, thread)).toBe('tea notes');
    await command(app, '/unfocus', { thread });
  }
});

test('BIND-17: focusing again replaces what the thread was bound to', async () => {
  const app = await start();
  await withSubagents(app, 'notes, plans');
  const thread = app.channel.openPlainThread();
  await command(app, '/focus notes', { thread });
  await command(app, '/focus plans', { thread });
  expect(await sessionBoundTo(app, thread)).toBe('plans');
  await app.channel.say('who', { thread });
  await expect.poll(() => app.channel.texts(thread)).toContain('re: who');
  const plans = (await app.read.sessions.children(GENERAL)).find(({ label }) => label === 'plans');
  expect((await app.read.entries.tail(plans!.key, 2))[0]?.content).toMatchObject({ text: 'who' });
});

test('BIND-17: focusing on the same session again, in the same moment even, keeps it bound', async () => {
  const app = await start({ clock: createManualClock() });
  await withSubagents(app, 'notes');
  const thread = app.channel.openPlainThread();
  for (let i = 0; i < 3; i++) expect(await command(app, '/focus notes', { thread })).toBe('');
  expect(await sessionBoundTo(app, thread)).toBe('notes');
  await command(app, '/unfocus', { thread });
  expect(await command(app, '/focus notes', { thread })).toBe('');
  expect(await sessionBoundTo(app, thread)).toBe('notes');
});

test('ARCH-01: a subagent whose thread was given to another begins to age', async () => {
  const app = await start();
  const thread = await inThread(app, 'notes');
  await withSubagents(app, 'plans');
  const notes = async () =>
    (await app.read.sessions.children(GENERAL)).find(({ label }) => label === 'notes');
  expect((await notes())?.archiveAt).toBeUndefined();
  await command(app, '/focus plans', { thread });
  expect((await notes())?.archiveAt).toBeDefined();
});

test('BIND-17: only the binder or an owner may focus, unfocus or change the timers of a bound thread', async () => {
  const app = await start();
  const thread = await inThread(app, 'notes', 'ann');
  const by = (user: string) => ({ thread, user });
  expect(await command(app, '/focus notes', by('bob'))).toBe(
    'This thread was focused by ann. Only they or an owner can change that.',
  );
  expect(await command(app, '/unfocus', by('bob'))).toBe(
    'This thread was focused by ann. Only they or an owner can unfocus it.',
  );
  for (const text of ['/session idle 2h', '/session max-age off'])
    expect(await command(app, text, by('bob'))).toBe(
      'This thread was focused by ann. Only they or an owner can change its timers.',
    );
  expect(await command(app, '/session idle', by('bob'))).toMatch(/^Idle limit: 1d\. /);
  expect(await sessionBoundTo(app, thread)).toBe('notes');
  expect(await command(app, '/session idle 2h', by('ann'))).toMatch(/^Idle limit: 2h\. /);
  expect(await command(app, '/unfocus', by('owner'))).toBe('');
  expect(await sessionBoundTo(app, thread)).toBeUndefined();
});

test('BIND-11, BIND-15, BIND-22: /unfocus posts one notice and answers nothing else; the session lives on', async () => {
  const app = await start();
  const thread = await inThread(app, 'notes');
  const before = app.channel.texts(thread).length;
  expect(await command(app, '/unfocus', { thread })).toBe('');
  await expect
    .poll(() => app.channel.texts(thread).slice(before))
    .toEqual([
      '**notes** is no longer in this thread: it was unfocused. To talk to it again here: `/focus notes`.',
    ]);
  await app.channel.say('anybody', { thread });
  await expect.poll(() => app.channel.texts(thread).slice(before + 1)).toEqual(['re: anybody']);
  const ordinary = await app.read.sessions.get(`${GENERAL}:thread:${thread}` as SessionKey);
  expect(ordinary?.depth).toBe(0);
  expect((await app.read.sessions.children(GENERAL))[0]?.archivedAt).toBeUndefined();
});

test('BIND-22: the word of the notice can be typed as it stands', async () => {
  const app = await start();
  const thread = await inThread(app, 'release notes');
  await command(app, '/unfocus', { thread });
  const notice = () => app.channel.texts(thread).at(-1) ?? '';
  await expect.poll(notice).toContain('no longer in this thread');
  const typed = /`(\/focus [^`]+)`/.exec(notice())![1]!;
  await command(app, typed, { thread });
  expect(await sessionBoundTo(app, thread)).toBe('release notes');
});

test('CMD-17: /session unbind is the same as /unfocus', async () => {
  const app = await start();
  const thread = await inThread(app, 'notes');
  expect(await command(app, '/session unbind', { thread })).toBe('');
  expect(await sessionBoundTo(app, thread)).toBeUndefined();
});

test.each(['/unfocus', '/session unbind'])('CMD-12: %s says so where nothing is bound', async (text) => {
  const app = await start();
  expect(await command(app, text)).toBe('Nothing is focused here. `/agents` shows what is where.');
});

test('CMD-11: a target is found by label, number, key and id', async () => {
  const app = await start();
  await withSubagents(app, 'notes');
  const [child] = await app.read.sessions.children(GENERAL);
  for (const target of [
    'notes',
    'NOTES',
    '#1',
    child!.key,
    child!.key.replace('agent:main', 'agent:MAIN'),
    child!.id,
  ]) {
    const thread = app.channel.openPlainThread();
    const answer = await command(app, `/focus ${target}`, { thread });
    expect(await sessionBoundTo(app, thread), answer).toBe('notes');
  }
});

test('CMD-11: the key of an ordinary session is a target too', async () => {
  const app = await start();
  await app.channel.say('hello', { conversation: 'other' });
  const thread = app.channel.openPlainThread();
  await command(app, '/focus agent:main:memory:channel:other', { thread });
  await app.channel.say('from elsewhere', { thread });
  await expect.poll(() => app.channel.texts(thread)).toContain('re: from elsewhere');
});

test('CMD-11: a label comes before the beginning of a run id', async () => {
  const app = await start();
  await withSubagents(app, 'first');
  const [first] = await app.read.sessions.children(GENERAL);
  const [run] = await app.read.runs.ofSession(first!.key, 1);
  const label = run!.id.slice('run_'.length, 'run_'.length + 6);
  await withSubagents(app, label);
  const thread = app.channel.openPlainThread();
  await command(app, `/focus ${label}`, { thread });
  expect(await sessionBoundTo(app, thread)).toBe(label);
});

test('CMD-11: an ambiguous target lists what it fits, an unknown one lists what there is', async () => {
  const app = await start();
  expect(await command(app, '/focus notes')).toBe('There is no "notes", and no subagent here.');
  await withSubagents(app, 'notes');
  await withSubagents(app, 'notes, plans');
  expect(await command(app, '/focus notes')).toMatch(
    /^"notes" fits more than one: #\d notes, #\d notes\. Use the number\.$/,
  );
  expect(await command(app, '/focus nobody')).toMatch(/^There is no "nobody" here\. There is: #1 notes, /);
  expect(app.channel.threads).toEqual([]);
});

test('BIND-13: the timers can be asked for and set only in a bound thread', async () => {
  const app = await start();
  const thread = app.channel.openPlainThread();
  for (const text of ['/session idle', '/session idle 2h', '/session max-age 1d'])
    for (const saying of [{}, { thread }])
      expect(await command(app, text, saying)).toBe(
        'This works only in a thread that is focused on something. `/focus <target>` does that.',
      );
});

test('BIND-14, BIND-20, CMD-14, CMD-15, CMD-16: timers are shown, set and switched off as stored', async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 5, 12));
  const app = await start({ clock });
  const thread = await inThread(app, 'notes');
  const say = (text: string) => command(app, text, { thread });
  expect(await say('/session idle')).toBe(
    'Idle limit: 1d. Ends 2026-01-06 12:00 UTC unless somebody writes here.',
  );
  expect(await say('/session max-age')).toBe('Maximum age: off.');
  expect(await say('/session idle 90m')).toBe(
    'Idle limit: 1h 30m. Ends 2026-01-05 13:30 UTC unless somebody writes here.',
  );
  expect(await say('/session max-age: 1.5')).toBe('Maximum age: 1h 30m. Ends 2026-01-05 13:30 UTC.');
  expect(await say('/session max-age')).toBe('Maximum age: 1h 30m. Ends 2026-01-05 13:30 UTC.');
  expect(await say('/session idle off')).toBe('Idle limit: off.');
  expect(await say('/SESSION MAX-AGE 0')).toBe('Maximum age: off.');
  expect(await say('/session idle soon')).toBe(
    'Usage: /session idle [duration] (30m, 2h, 1d or off; a bare number means hours)',
  );
});

test.each([
  ['/session idle 1h', 'nobody wrote here for a while (idle limit)'],
  ['/session max-age 1h', 'it reached its maximum age'],
])(
  'BIND-15, BIND-22: after %s the thread is unfocused with one notice that says why',
  async (text, reason) => {
    const clock = createManualClock();
    const app = await start({ clock });
    const thread = await inThread(app, 'notes');
    await command(app, text, { thread });
    const before = app.channel.texts(thread).length;
    clock.advance(HOUR - 1_000);
    await expect.poll(() => sessionBoundTo(app, thread)).toBe('notes');
    await expect
      .poll(() => {
        clock.advance(500);
        return app.channel.texts(thread).slice(before);
      })
      .toEqual([
        `**notes** is no longer in this thread: ${reason}. To talk to it again here: \`/focus notes\`.`,
      ]);
    expect((await app.read.sessions.children(GENERAL))[0]?.archivedAt).toBeUndefined();
  },
);

test('BIND-21: a message after the limit never reaches the old session, even before any sweep', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  const thread = await inThread(app, 'notes');
  await command(app, '/session idle 400s', { thread });
  const [child] = await app.read.sessions.children(GENERAL);
  const entries = (await app.read.entries.list(child!.key)).length;
  clock.advance(400_000);
  const { receipt } = await app.channel.say('too late', { thread });
  expect(receipt).toMatchObject({ sessionKey: `${GENERAL}:thread:${thread}` });
  expect(await app.read.entries.list(child!.key)).toHaveLength(entries);
});

test('UI: the card offers Unfocus only while its own thread is focused, wherever else the subagent is', async () => {
  const app = await start();
  const thread = await inThread(app, 'notes');
  const buttons = () =>
    app.channel.messages.find(({ card }) => card)?.card?.actions.map(({ label }) => label);
  await eventually(buttons).toEqual(['Unfocus', 'Details']);
  await command(app, '/focus notes');
  await expect.poll(() => app.channel.threads).toHaveLength(2);
  await expect.poll(() => sessionBoundTo(app, app.channel.threads[1]!.id)).toBe('notes');
  await command(app, '/unfocus', { thread });
  await eventually(buttons).toEqual(['Details']);
  expect(await sessionBoundTo(app, app.channel.threads[1]!.id)).toBe('notes');
  await command(app, '/focus notes', { thread });
  await eventually(buttons).toEqual(['Unfocus', 'Details']);
});

test('BIND-12: /agents shows what is at work and which thread it is in', async () => {
  const app = await start();
  expect(await command(app, '/agents')).toBe('Nothing is at work here, and no thread is focused.');
  const thread = await inThread(app, 'notes');
  await app.channel.say('spawn slow plans');
  await expect.poll(() => app.models.held().length).toBe(1);
  const shown = (await command(app, '/agents')).split('\n');
  expect(shown).toHaveLength(2);
  expect(shown[0]).toMatch(new RegExp(`^\\*\\*notes\\*\\* succeeded .* thread:${thread}$`));
  expect(shown[1]).toMatch(/^\*\*slow plans\*\* running .* `run_\w{8}` unbound$/);
  expect((await command(app, '/agents', { thread })).split('\n')).toHaveLength(2);
});

/** Sessions that each have one subagent in a thread, which each of them counts as its first. */
async function threeRequesters(app: TestApp): Promise<readonly string[]> {
  await inThread(app, 'notes');
  const plain = [app.channel.openPlainThread(), app.channel.openPlainThread()];
  for (const [i, thread] of plain.entries()) {
    await app.channel.say('spawn thread slow dig', { thread });
    await expect.poll(() => app.models.held().length).toBe(i + 1);
  }
  return plain;
}

test('BIND-12: /agents names subagents of several sessions by their runs, which /focus takes', async () => {
  const app = await start();
  const [plain] = await threeRequesters(app);
  const shown = await command(app, '/agents');
  expect(shown.split('\n')).toHaveLength(3);
  expect(shown).not.toContain('#');
  const runs = new Set([...shown.matchAll(/`(run_\w+)`/g)].map(([, run]) => run!));
  expect(runs.size).toBe(3);
  const bound: (string | undefined)[] = [];
  for (const run of runs) {
    expect(await command(app, `/focus ${run}`, { thread: plain! })).toBe('');
    bound.push((await app.read.bindings.ofConversation(GENERAL_PLACE)).at(-1)?.sessionKey);
  }
  expect(new Set(bound).size).toBe(3);
});

test('CMD-11: what fits subagents of several sessions is told apart by runs, since each session counts its own', async () => {
  const app = await start();
  await threeRequesters(app);
  expect(await command(app, '/focus slow dig')).toBe(
    '"slow dig" fits more than one: slow dig, slow dig. Use the run id, as /agents shows it.',
  );
});

test('BIND-10: a platform that wants an answer to every command is told that the thread is opening', async () => {
  const app = await start();
  await withSubagents(app, 'notes');
  const given = { source: 'command', command: { name: 'focus', options: { target: 'notes' } } } as const;
  expect(await command(app, '/focus notes', { event: given })).toBe(
    'A thread for **notes** is opening here.',
  );
});

test('BIND-19, C4: commands in a bound thread act on it and never reach its session; everything else does, unchanged', async () => {
  const app = await start();
  const thread = await inThread(app, 'notes');
  const [child] = await app.read.sessions.children(GENERAL);
  const texts = ['/unfocusx', '// not a command', '```\n/stop\n```', '／stop', '/foo bar', 'a /stop inside'];
  for (const text of texts) {
    const { receipt } = await app.channel.say(text, { thread });
    expect(receipt, text).toMatchObject({ status: 'admitted', sessionKey: child!.key });
    await expect.poll(() => app.read.runs.active(child!.key)).toEqual([]);
  }
  const heard = (await app.read.entries.list(child!.key)).flatMap(({ content, provenance }) =>
    content.role === 'user' && provenance.kind === 'user' && provenance.eventId ? [content.text] : [],
  );
  expect(heard.slice(-texts.length)).toEqual(texts);
  const before = await app.read.entries.list(child!.key);
  for (const text of [
    '/status',
    '/session idle',
    '!subagents list',
    '/agents',
    '/stop',
    '/help',
    '  /unfocus',
  ]) {
    const { receipt } = await app.channel.say(text, { thread });
    expect(receipt.status, text).toBe('command');
  }
  expect(await app.read.entries.list(child!.key)).toEqual(before);
  expect(await sessionBoundTo(app, thread)).toBeUndefined();
});

test('BIND-24: with bindings switched off /focus says so and nothing is opened', async () => {
  const app = await start({ config: { session: { threadBindings: { enabled: false } } } });
  await withSubagents(app, 'notes');
  expect(await command(app, '/focus notes')).toBe(
    'Threads are not bound here: session.threadBindings.enabled or channels.memory.threadBindings.enabled is off.',
  );
  expect(app.channel.threads).toEqual([]);
});

test('BIND-10: where there are no threads /focus says so', async () => {
  const app = await start({ capabilities: { hasThreads: false } });
  await withSubagents(app, 'notes');
  expect(await command(app, '/focus notes')).toBe('There are no threads here.');
});

test('BIND-10: a thread that cannot be opened is told to whoever asked for it', async () => {
  const app = await start();
  await withSubagents(app, 'notes');
  app.channel.refuseNext('openThread', 'channel-permission-denied', 'Ask the owner of the channel.');
  await command(app, '/focus notes');
  await expect
    .poll(() => app.channel.texts().at(-1))
    .toMatch(/could not be opened\. Ask the owner of the channel\./);
});

test('BIND-10: a lost answer to the opening of a thread does not make two threads', async () => {
  const clock = createManualClock();
  const app = await start({ clock });
  await withSubagents(app, 'notes');
  app.channel.loseAnswerOf('openThread');
  await command(app, '/focus notes');
  await expect
    .poll(() => {
      clock.advance(1_000);
      return app.channel.texts(app.channel.threads[0]?.id).join();
    })
    .toContain('is in this thread');
  expect(app.channel.threads).toHaveLength(1);
});

test('BIND-18: a deleted thread ends its binding without a farewell', async () => {
  const app = await start();
  const thread = await inThread(app, 'notes');
  const before = app.channel.messages.length;
  await app.channel.deleteThread(thread);
  expect(await sessionBoundTo(app, thread)).toBeUndefined();
  await app.channel.say('next');
  await expect.poll(() => app.channel.texts().at(-1)).toMatch(/heard of notes|re: next/);
  expect(app.channel.messages.slice(before).filter((message) => message.thread === thread)).toEqual([]);
});

test('E-20: whoever is no owner focuses only what belongs to the place; the rest is as good as none', async () => {
  const app = await start();
  await withSubagents(app, 'secret', { conversation: 'elsewhere' });
  await withSubagents(app, 'notes');
  const elsewhere = 'agent:main:memory:channel:elsewhere' as SessionKey;
  const [secret] = await app.read.sessions.children(elsewhere);
  const parent = await app.read.sessions.get(elsewhere);
  const thread = app.channel.openPlainThread();
  const asAnn = (target: string) => command(app, `/focus ${target}`, { thread, user: 'ann' });
  for (const word of [secret!.key, secret!.id, 'secret', elsewhere, parent!.id]) {
    expect(await asAnn(word)).toBe(`There is no "${word}" here. There is: #1 notes.`);
  }
  expect(await asAnn('nothing')).toBe('There is no "nothing" here. There is: #1 notes.');
  expect(await sessionBoundTo(app, thread)).toBeUndefined();
  const [notes] = await app.read.sessions.children(GENERAL);
  for (const word of [notes!.key, notes!.id, GENERAL]) {
    expect(await asAnn(word)).toBe('');
    await command(app, '/unfocus', { thread, user: 'ann' });
  }
  expect(await command(app, `/focus ${secret!.key}`, { thread })).toBe('');
  expect(await sessionBoundTo(app, thread)).toBe('secret');
});

test('E-20: ids of another place reach nothing through /subagents kill', async () => {
  const app = await start();
  await app.channel.say('spawn slow secret', { conversation: 'elsewhere' });
  await expect.poll(() => app.models.held().length).toBe(1);
  const [secret] = await app.read.sessions.children('agent:main:memory:channel:elsewhere' as SessionKey);
  const [run] = await app.read.runs.active(secret!.key);
  for (const word of [secret!.key, run!.id, 'slow secret'])
    expect(await command(app, `/subagents kill ${word}`)).toMatch(/^There is no/);
  expect(app.models.held()).toHaveLength(1);
});
