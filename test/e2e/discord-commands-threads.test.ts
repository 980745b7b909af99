/** Commands in and about threads: what acts on the binding, what is left to the subagent, and who may decide. */
import { expect, test } from 'vitest';
import { type Actor, APPLICATION_FLAGS, type Channel, type FakeDiscord } from '../fakes/discord/index.ts';
import { createScriptedModels, isSubagent, lastText } from '../fakes/scripted-models.ts';
import { type DiscordAppParts, delegating, discordWorld } from '../support/discord-app.ts';

async function world(parts: Omit<DiscordAppParts, 'models'> = {}) {
  const made = await discordWorld({ flags: APPLICATION_FLAGS.messageContent });
  const models = createScriptedModels(delegating);
  const app = await made.start({ models, ...parts });
  /** By `who`, in `channel`. */
  const delegated = async (label: string, who: Actor = made.user, channel: Channel = made.general) => {
    who.sendMessage(channel, `delegate ${label}`, { mention: true });
    const thread = await made.fake.waitForThread({ parent: channel, named: label });
    await made.fake.waitForReply(thread, { matching: `see to ${label}` });
    return thread;
  };
  const heardBySubagents = () =>
    models.calls.filter(({ request }) => isSubagent(request)).map(({ request }) => lastText(request));
  return { ...made, app, delegated, heardBySubagents };
}

async function said(fake: FakeDiscord, who: Actor, place: Channel, text: string): Promise<string> {
  const message = who.sendMessage(place, text);
  return (await fake.waitForReply(place, { after: message })).content;
}

test('C4, BIND-19: commands typed in a bound thread act on it and are not heard by its subagent', async () => {
  const { fake, delegated, heardBySubagents, app } = await world();
  const { owner, botUser } = fake;
  const thread = await delegated('moon', owner);
  const [moon] = await app.store.read.sessions.withLabel('moon');
  const entries = async () => (await app.store.read.entries.list(moon!.key)).length;
  const [heard, written] = [heardBySubagents().length, await entries()];
  const answers: readonly (readonly [string, RegExp])[] = [
    ['/session idle 2h', /^Idle limit: 2h\. Ends /],
    ['!session max-age: off', /^Maximum age: off\.$/],
    ['/session idle', /^Idle limit: 2h\./],
    ['/subagents list', /^No subagents here yet\.$/],
    ['/agents', /\*\*moon\*\*.*thread:\d+/],
    ['/status', /\nThread: focused by owner, ends in 1h 59m/],
    ['/stop', /^Nothing is running here\.$/],
    ['/pair list', /^Nobody waits to be let in\.$/],
    ['/session idle soon', /^Usage: \/session idle \[duration\] \(.+\)$/],
  ];
  for (const [text, answer] of answers) expect(await said(fake, owner, thread, text), text).toMatch(answer);
  expect([heardBySubagents().length, await entries()]).toEqual([heard, written]);

  for (const text of ['  /unfocus', `<@${botUser.id}> /unfocus`, `<@${botUser.id}> unfocus`, '/UNFOCUS']) {
    expect(await said(fake, owner, thread, text), text).toContain('it was unfocused');
    expect(await said(fake, owner, thread, '/focus moon'), text).toContain('To leave: `/unfocus`');
  }
  expect([heardBySubagents().length, await entries()]).toEqual([heard, written]);
});

test('C4: what only looks like a command is heard by the subagent as it is', async () => {
  const { fake, delegated, heardBySubagents } = await world();
  const { owner } = fake;
  const thread = await delegated('moon', owner);
  const texts = [
    '/unfocusx',
    '// not a command',
    '```\n/stop\n```',
    '／stop',
    '/ stop',
    'please /stop',
    '/usr/bin/stop is a path',
    'stop',
    '> /stop',
  ];
  for (const text of texts) {
    await said(fake, owner, thread, text);
    expect(heardBySubagents().at(-1)).toBe(text);
  }
  expect(await said(fake, owner, thread, '/session idle')).toMatch(/^Idle limit: 1d\./);
});

test('focus, unfocus, agents: a thread is bound in place, and the list shows what is here and nothing else', async () => {
  const { fake, guild, general, user, delegated, heardBySubagents } = await world();
  const moon = await delegated('moon');
  await delegated('mars', user, fake.addChannel(guild, { name: 'other' }));
  const plain = user.openThread(general, 'plain');
  expect((await user.runCommand(plain, '/focus', { target: 'moon' }).reply()).content).toBe('Done.');
  const notice = await fake.waitForReply(plain, { matching: 'To leave: `/unfocus`' });
  expect(notice.content).toMatch(/^\*\*moon\*\* \(agent main\) is in this thread/);
  user.sendMessage(plain, 'over here');
  await fake.waitForReply(plain, { matching: 'over here' });
  expect(heardBySubagents().at(-1)).toContain('over here');

  for (const place of [general, plain]) {
    const { content } = await user.runCommand(place, '/agents').reply();
    expect(content).toContain(`thread:${plain.id}`);
    expect(content).not.toContain('mars');
  }
  user.runCommand(plain, '/unfocus');
  await fake.waitForReply(plain, { matching: 'it was unfocused' });
  const left = user.runCommand(plain, '/unfocus');
  expect((await left.reply()).content).toBe('Nothing is focused here. `/agents` shows what is where.');
  user.sendMessage(plain, 'and now?', { mention: true });
  await fake.waitForReply(plain, { matching: 'and now?' });
  expect(heardBySubagents().at(-1)).not.toContain('and now?');
  expect(moon.id).not.toBe(plain.id);
});

test('focus in a channel opens a thread for it; a target that is not there is answered with what is', async () => {
  const { fake, general, user, delegated } = await world();
  await delegated('moon');
  const unknown = user.runCommand(general, '/focus', { target: 'venus' });
  expect((await unknown.reply()).content).toBe('There is no "venus" here. There is: #1 moon.');
  user.runCommand(general, '/focus', { target: '1' });
  await fake.waitForReply(general, { matching: '**moon** gets a thread here.' });
  const threads = () => [...fake.world.channels.values()].filter(({ parentId }) => parentId === general.id);
  await fake.waitFor('a second thread', () => threads().length === 2 || undefined);
  await fake.waitForReply(threads()[1]!, { matching: 'To leave: `/unfocus`' });
});

test('a thread that somebody has focused is theirs: others are told whose it is, and owners may', async () => {
  const { fake, user, delegated } = await world();
  const other = fake.addUser({ name: 'bob' });
  const thread = await delegated('moon');
  await delegated('sun', other);
  const whose = 'This thread was focused by ann. Only they or an owner can';
  const refused = [
    other.runCommand(thread, '/focus', { target: 'sun' }),
    other.runCommand(thread, '/unfocus'),
    other.runCommand(thread, '/session idle', { duration: '5m' }),
    other.runCommand(thread, '/session max-age', { duration: '5m' }),
    other.runCommand(thread, '/session unbind'),
  ];
  for (const handle of refused) {
    expect((await handle.reply()).content).toContain(whose);
    expect(handle.isEphemeral).toBe(true);
  }
  expect((await other.runCommand(thread, '/session idle').reply()).content).toMatch(/^Idle limit: 1d\./);
  const set = fake.owner.runCommand(thread, '/session idle', { duration: '2h' });
  expect((await set.reply()).content).toMatch(/^Idle limit: 2h\./);
  fake.owner.runCommand(thread, '/unfocus');
  await fake.waitForReply(thread, { matching: 'it was unfocused' });
  expect((await user.runCommand(thread, '/session idle').reply()).content).toMatch(
    /^This works only in a thread/,
  );
});

test('where threads are not bound, focus says which setting that is, and nothing changes', async () => {
  const { fake, general, user } = await world({ discord: { threadBindings: { enabled: false } } });
  user.sendMessage(general, 'hello', { mention: true });
  await fake.waitForReply(general, { matching: 'hello' });
  const given = user.runCommand(general, '/subagents spawn', { agentid: 'main', task: 'see to moon' });
  await given.reply();
  const focus = user.runCommand(general, '/focus', { target: '1' });
  expect((await focus.reply()).content).toMatch(/enabled is off\.$/);
});
