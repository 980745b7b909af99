/** What threads are called, how long Discord shows them, and how a long first answer comes into one. */
import { describe, expect, test } from 'vitest';
import type { Channel, FakeDiscord } from '../fakes/discord/index.ts';
import { isSubagent } from '../fakes/scripted-models.ts';
import { spawnInThread, spawningWorld, threadsOf } from '../support/discord-threads.ts';

const FALLBACK = 'Subagent';

describe('F6 a thread is named after', () => {
  const task = (text: string) => ({ task: text, label: undefined });
  const cases: readonly (readonly [string, Record<string, unknown>, string | RegExp])[] = [
    ['a task of 101 characters, cut', task('n'.repeat(101)), /^n{90,99}…?$/],
    ['99 characters and an emoji, whole or without it', task(`${'n'.repeat(99)}😀`), /^n{98,99}(😀|…)?$/],
    ['a family of emoji at the edge, never half of it', task(`${'n'.repeat(97)}👨‍👩‍👧‍👦 and more`), /^n+…?$/],
    ['a label that says nothing: the task', { task: 'count tea', label: '///' }, 'count tea'],
    ['a label and a task that say nothing: a word of ours', { task: '///', label: '///' }, FALLBACK],
    ['a label of blanks and line breaks: the task', { task: 'count tea', label: ' \n\t ' }, 'count tea'],
    ['Korean text', task('어제 저녁에 김치찌개를 끓였다'), '어제 저녁에 김치찌개를 끓였다'],
    ['text from right to left', task('سافرت إلى القمر'), 'سافرت إلى القمر'],
    ['a task in several lines: on one', task('first\n\nsecond'), 'first second'],
  ];
  test.each(cases)('%s', async (_what, args, expected) => {
    const { fake, general, user } = await spawningWorld();
    user.sendMessage(general, spawnInThread('x', args), { mention: true });
    const thread = await fake.waitForThread({ parent: general });
    if (typeof expected === 'string') expect(thread.name).toBe(expected);
    else expect(thread.name).toMatch(expected);
    expect(thread.name.length).toBeLessThanOrEqual(100);
    await fake.waitForReply(thread, { matching: 'echo' });
  });

  test('CHAN-08: a task with mentions and secrets: without either, and nobody is notified', async () => {
    const { fake, guild, general, user } = await spawningWorld();
    const role = fake.addRole(guild, { name: 'crew' });
    const bob = fake.addUser({ name: 'bob' });
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const text = `@everyone <@${bob.id}> <@&${role.id}> <#${general.id}> deploy with ${secret}`;
    user.sendMessage(general, spawnInThread('x', { task: text, label: undefined }), { mention: true });
    const thread = await fake.waitForThread({ parent: general });
    await fake.waitForReply(thread, { matching: 'echo' });
    expect(thread.name).toContain('deploy with');
    expect(
      fake.world.pings.some(({ isEveryone, authorId }) => isEveryone && authorId === fake.botUser.id),
    ).toBe(false);
    expect(thread.name).not.toMatch(/@everyone|<[@#]/);
    await fake.waitForReply(general, { matching: 'echo' });
    // A reply notifies whom it answers, and nobody else.
    expect(pingsOfBot(fake).flatMap(({ users, roles }) => [...users, ...roles])).toEqual([user.id]);
    const opened = fake.journal.of(/\/threads$/).map(({ body }) => JSON.stringify(body));
    expect(opened.join()).not.toContain(secret.slice(4, 14));
  });

  test('a name given by a forum post too', async () => {
    const { fake, guild, user } = await spawningWorld();
    const forum = fake.addChannel(guild, { name: 'asks', type: 'forum' });
    const text = spawnInThread('x', { task: 'n'.repeat(150), label: undefined });
    user.createPost(forum, 'question', { text, mention: true });
    const thread = await fake.waitForThread({ parent: forum, named: /^n/ });
    expect(thread.name.length).toBeLessThanOrEqual(100);
  });
});

describe('F5 a first answer of 4,500 characters whose second part fails once', () => {
  const long = Array.from({ length: 75 }, (_, line) => `line ${line} `.padEnd(59, 'x')).join('\n');
  const isSecondPart = ({ method, path, body }: { method: string; path: string; body: unknown }) =>
    method === 'POST' &&
    path.endsWith('/messages') &&
    /^line 3\d/.test((body as { content?: string }).content ?? '');

  async function firstAnswer(fake: FakeDiscord, thread: Channel): Promise<string> {
    await fake.waitForReply(thread, { matching: 'line 74' });
    const parts = fake.visible(thread).filter(({ text }) => text.startsWith('line '));
    for (const { text } of parts) expect(text.length).toBeLessThanOrEqual(2_000);
    expect(parts.length).toBeGreaterThan(2);
    return parts.map(({ text }) => text).join('\n');
  }

  test('stands in the thread of a text channel, whole and in order; no second thread is made', async () => {
    const { fake, general, user } = await spawningWorld((request) => (isSubagent(request) ? long : 'ok'));
    fake.faults.fail(isSecondPart, { status: 503 }, 1);
    user.sendMessage(general, spawnInThread('long'), { mention: true });
    const thread = await fake.waitForThread({ parent: general });
    expect(await firstAnswer(fake, thread)).toBe(long);
    expect(threadsOf(fake)).toHaveLength(1);
  });

  test('stands in the post of a forum likewise', async () => {
    const { fake, guild, user } = await spawningWorld((request) => (isSubagent(request) ? long : 'ok'));
    const forum = fake.addChannel(guild, { name: 'asks', type: 'forum' });
    fake.faults.fail(isSecondPart, { status: 503 }, 1);
    user.createPost(forum, 'question', { text: spawnInThread('long'), mention: true });
    const thread = await fake.waitForThread({ parent: forum, named: 'long' });
    expect(await firstAnswer(fake, thread)).toBe(long);
    expect(threadsOf(fake, forum)).toHaveLength(2);
  });

  test('refused for good: what came stays, what is missing is said where it was asked for', async () => {
    const { fake, general, user } = await spawningWorld((request) => (isSubagent(request) ? long : 'ok'));
    fake.faults.fail(isSecondPart, { status: 403, code: 50013, message: 'Missing Permissions' });
    user.sendMessage(general, spawnInThread('long'), { mention: true });
    const thread = await fake.waitForThread({ parent: general });
    const told = await fake.waitForReply(general, { matching: 'could not be posted' });
    expect(told.content).toContain(`<#${thread.id}>, but part 2 of 3 could not be posted there`);
    expect(threadsOf(fake)).toHaveLength(1);
  });
});

test.each([
  ['24 hours', { idleHours: 24 }],
  ['5 days', { idleHours: 120 }],
  ['never', { idleHours: 0 }],
])('T5 a thread whose idle limit is %s stays in the list for a week', async (_what, threadBindings) => {
  const { fake, general, user } = await spawningWorld(undefined, { discord: { threadBindings } });
  user.sendMessage(general, spawnInThread('kept'), { mention: true });
  const { thread } = await fake.waitForThread({ parent: general });
  expect(thread.autoArchiveMinutes).toBe(10_080);
});

const pingsOfBot = ({ world, botUser }: FakeDiscord) =>
  world.pings.filter(({ authorId }) => authorId === botUser.id);
