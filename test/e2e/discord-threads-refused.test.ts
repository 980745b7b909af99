/** Threads that Discord does not let the bot open or speak in: people are told why and what to do, and nothing is half made. */
import { describe, expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import type { Permission } from '../fakes/discord/permissions.ts';
import { HOLD, isSubagent, lastText } from '../fakes/scripted-models.ts';
import {
  READS_ALL,
  said,
  settled,
  spawnInThread,
  spawningWorld,
  threadsOf,
} from '../support/discord-threads.ts';
import { until } from '../support/until.ts';

type World = Awaited<ReturnType<typeof spawningWorld>>;

const USUAL: readonly Permission[] = [
  'addReactions',
  'viewChannel',
  'sendMessages',
  'embedLinks',
  'attachFiles',
  'readMessageHistory',
  'useApplicationCommands',
  'createPublicThreads',
  'sendMessagesInThreads',
];

/** Three places where a permission can be missing. */
const PLACES = [
  'for everyone in the server',
  'for everyone in the channel',
  'for the bot in the channel',
] as const;

function takeAway(
  { fake, guild, general, user }: World,
  where: (typeof PLACES)[number],
  missing: Permission,
): void {
  const rest = USUAL.filter((each) => each !== missing);
  const people = { for: { id: user.id }, allow: [missing] };
  if (where === 'for everyone in the server') {
    fake.setEveryone(guild, rest);
    fake.setOverwrites(general, [people]);
  } else if (where === 'for everyone in the channel') {
    fake.setOverwrites(general, [{ for: 'everyone', deny: [missing] }, people]);
  } else {
    fake.setOverwrites(general, [{ for: { id: fake.botUser.id }, deny: [missing] }]);
  }
}

async function nothingIsHalfMade({ skein, fake, general, models }: World): Promise<void> {
  await settled(skein);
  const { read } = skein.store;
  const requester = `agent:main:discord:channel:${general.id}` as SessionKey;
  expect(await read.sessions.children(requester)).toEqual([]);
  expect(await read.bindings.ofAccount('discord', 'default', 10)).toEqual([]);
  expect(await read.runs.active(requester)).toEqual([]);
  expect(threadsOf(fake)).toEqual([]);
  expect(models.calls.filter(({ request }) => isSubagent(request))).toEqual([]);
}

describe.each(PLACES)('P1 E-3 missing %s', (where) => {
  test.each([
    ['createPublicThreads', 'Create Public Threads'],
    ['readMessageHistory', 'Read Message History'],
    ['sendMessagesInThreads', 'Send Messages in Threads'],
  ] as const)('%s: the asker is told which and where, and the spawn is undone', async (missing, name) => {
    const world = await spawningWorld();
    const { fake, general, user } = world;
    takeAway(world, where, missing);
    user.sendMessage(general, spawnInThread('moon'), { mention: true });
    const told = await fake.waitForReply(general, { matching: 'could not start' });
    expect(told.content).toContain(`I need “${name}” in #general.`);
    await fake.waitForReply(general, { matching: '**moon** · Failed' });
    await nothingIsHalfMade(world);
    expect(said(fake, general).match(/could not start/g)).toHaveLength(1);
  });

  test('viewChannel: nothing can be said there, and the spawn is undone', async () => {
    const world = await spawningWorld((request) =>
      lastText(request).includes('think') ? HOLD : `echo: ${lastText(request)}`,
    );
    const { general, user, models } = world;
    user.sendMessage(general, 'think about it', { mention: true });
    const call = await until(() => models.held()[0], { what: 'the turn' });
    takeAway(world, where, 'viewChannel');
    const args = { task: 'see to moon', label: 'moon', thread: true };
    models.release(call, { calls: [{ name: 'sessions_spawn', arguments: args }] });
    await until(async () => (await world.skein.store.read.operations.failed(9)).length > 1, {
      what: 'the refusals',
    });
    await nothingIsHalfMade(world);
  });
});

test('P1 asked for in a thread of a channel where it may not write: the thread is told', async () => {
  const world = await spawningWorld();
  const { fake, general, user, skein } = world;
  const origin = user.openThread(general, 'a talk');
  takeAway(world, 'for the bot in the channel', 'sendMessages');
  user.sendMessage(origin, spawnInThread('moon'), { mention: true });
  const told = await fake.waitForReply(origin, { matching: 'could not start' });
  expect(told.content).toContain('I need “Send Messages” in #general.');
  await settled(skein);
  expect(threadsOf(fake)).toHaveLength(1);
  expect(await skein.store.read.bindings.ofAccount('discord', 'default', 5)).toEqual([]);
});

test('P1 /focus names the missing right too', async () => {
  const world = await spawningWorld();
  const { fake, general, user } = world;
  const spawned = user.runCommand(general, '/subagents spawn', { agentid: 'main', task: 'count' });
  await spawned.reply();
  await fake.waitForReply(general, { matching: 'count' });
  takeAway(world, 'for everyone in the channel', 'createPublicThreads');
  user.runCommand(general, '/focus', { target: '1' });
  const told = await fake.waitForReply(general, { matching: 'could not be opened' });
  expect(told.content).toContain('I need “Create Public Threads” in #general.');
  expect(threadsOf(fake)).toEqual([]);
});

test('R4 an unknown channel is named as the cause', async () => {
  const world = await spawningWorld();
  const { fake, general, user, skein } = world;
  fake.faults.fail(/^POST .*\/threads$/, { status: 404, code: 10_003, message: 'Unknown Channel' });
  user.sendMessage(general, spawnInThread('moon'), { mention: true });
  const told = await fake.waitForReply(general, { matching: 'could not start' });
  const [failed] = await skein.store.read.operations.failed(5);
  expect(failed?.error).toMatchObject({ code: 'channel-not-found' });
  expect(told.content).toContain('is gone, or I cannot see it');
  await nothingIsHalfMade(world);
});

describe('what Discord says of threads themselves', () => {
  test('D8 160004 the thread that is there already is used', async () => {
    const { fake, general, user } = await spawningWorld();
    const gate = fake.faults.holdBefore(/^POST .*\/threads$/, 1);
    user.sendMessage(general, spawnInThread('moon'), { mention: true });
    await gate.reached;
    const card = await fake.waitForReply(general, { matching: '**moon**' });
    const thread = fake.owner.openThread(card, 'theirs');
    gate.release();
    await fake.waitForReply(thread, { matching: 'see to moon' });
    expect(threadsOf(fake)).toHaveLength(1);
  });

  test('160006 too many active threads: the asker is told to archive some', async () => {
    const world = await spawningWorld(undefined, {}, {
      ...READS_ALL,
      activeThreadCap: 0,
    } as typeof READS_ALL);
    const { fake, general, user } = world;
    user.sendMessage(general, spawnInThread('moon'), { mention: true });
    const told = await fake.waitForReply(general, { matching: 'could not start' });
    expect(told.content).toContain('too many active threads; archive some, then try again.');
    await nothingIsHalfMade(world);
  });

  test('160005 locked while the bot did not hear of it: the answer is kept, with a line where it was asked for', async () => {
    const { fake, general, user, models, skein } = await spawningWorld((request) =>
      isSubagent(request) ? HOLD : `echo: ${lastText(request)}`,
    );
    user.sendMessage(general, spawnInThread('moon'), { mention: true });
    const thread = await fake.waitForThread({ parent: general });
    const call = await until(() => models.held()[0], { what: 'the subagent' });
    await settled(skein);
    fake.faults.fail(new RegExp(`^POST /channels/${thread.id}/messages`), { status: 403, code: 160_005 });
    models.release(call, 'the far side');
    const told = await fake.waitForReply(general, { matching: 'could not be posted' });
    expect(told.content).toContain('The thread is locked. Unlock it, or go on in another thread.');
    expect(told.content).toContain(`<#${thread.id}>`);
  });
});

describe('L6 the right to write in the thread is lost while its subagent works', () => {
  test('one line at the origin names thread and right; the subagent knows; it is not tried again and again', async () => {
    const world = await spawningWorld((request) =>
      isSubagent(request) ? HOLD : `echo: ${lastText(request)}`,
    );
    const { fake, general, user, models, skein } = world;
    user.sendMessage(general, spawnInThread('moon'), { mention: true });
    const thread = await fake.waitForThread({ parent: general });
    const call = await until(() => models.held()[0], { what: 'the subagent' });
    await settled(skein);
    takeAway(world, 'for the bot in the channel', 'sendMessagesInThreads');
    fake.journal.clear();
    models.release(call, 'the far side');
    const told = await fake.waitForReply(general, { matching: 'could not be posted' });
    expect(told.content).toContain('I need “Send Messages in Threads” in #general.');
    expect(told.content).toContain(`<#${thread.id}>`);
    await settled(skein);
    expect(said(fake, general).match(/could not be posted/g)).toHaveLength(1);
    expect(fake.journal.of(new RegExp(`^POST /channels/${thread.id}/messages$`))).toHaveLength(1);
    expect(said(fake, general)).not.toContain('the far side');

    fake.setOverwrites(general, []);
    user.sendMessage(thread, 'and now?');
    const next = await until(() => models.held()[0], { what: 'the next turn' });
    expect(JSON.stringify(next.request.messages)).toContain('could not be delivered: I may not write there');
    models.release(next, 'here it is');
    await fake.waitForReply(thread, { matching: 'here it is' });
  });
});
