/** A thread, a channel or a whole server goes away while a subagent works there: nobody writes to what is gone. */
import { expect, test } from 'vitest';
import { APPLICATION_FLAGS, type Channel, type FakeDiscord } from '../fakes/discord/index.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { chatScript } from '../support/chat-script.ts';
import { discordWorld } from '../support/discord-app.ts';
import { botTexts } from '../support/discord-questions.ts';
import { until } from '../support/until.ts';

/** A subagent at work in a thread of its own, in a room beside `general`. */
async function atWork() {
  const world = await discordWorld({ flags: APPLICATION_FLAGS.messageContent });
  const { fake, guild, user } = world;
  const room = fake.addChannel(guild, { name: 'room' });
  const started = await world.start({ models: createScriptedModels(chatScript) });
  user.sendMessage(room, 'spawn thread slow dig', { mention: true });
  const thread = await fake.waitForThread({ parent: room });
  await fake.waitForReply(thread, { matching: '/unfocus' });
  await fake.waitForReply(room, { matching: 'started' });
  await until(() => started.models.held()[0], { what: 'the subagent is at work' });
  return { ...world, ...started, room, thread };
}

type AtWork = Awaited<ReturnType<typeof atWork>>;

/** Calls to these places; the last numbers of the journal before and after tell when. */
const callsTo = (fake: FakeDiscord, places: readonly Channel[], since: number) =>
  fake.journal.entries.filter(
    ({ number, path }) => number > since && places.some(({ id }) => path.startsWith(`/channels/${id}/`)),
  );

const lastCall = ({ fake }: AtWork) => fake.journal.entries.at(-1)?.number ?? 0;

async function liveBinding({ store, room, thread }: AtWork) {
  const place = {
    channel: 'discord',
    account: 'default',
    chatType: 'channel',
    conversation: room.id,
  } as const;
  return store.read.bindings.live({ ...place, thread: thread.id });
}

async function activeRuns({ store }: AtWork) {
  return store.read.runs.allActive(10);
}

async function told(
  { user, general, room }: AtWork,
  command: string,
  where: Channel = room,
): Promise<string> {
  return (await user.runCommand(where ?? general, command).reply()).content;
}

test('Q1: its thread is deleted: no farewell, a line where it was asked for, and the result comes there', async () => {
  const world = await atWork();
  const { fake, room, thread, models } = world;
  expect(await told(world, '/agents')).toContain(`thread:${thread.id}`);
  const since = lastCall(world);
  fake.owner.deleteThread(thread);
  await fake.waitForReply(room, { matching: 'The thread of **slow dig** was deleted. It goes on' });
  expect(await liveBinding(world)).toBeUndefined();
  expect(await told(world, '/agents')).not.toContain(`thread:${thread.id}`);
  models.release(models.held()[0]!, 'found it');
  await fake.waitForReply(room, { matching: 'heard of slow dig' });
  expect(await told(world, '/subagents list')).toContain('succeeded');
  expect(callsTo(fake, [thread], since).filter(({ path }) => !path.includes('/typing'))).toEqual([]);
  expect(botTexts(fake, room).filter((text) => text.includes('heard of'))).toHaveLength(1);
});

test('Q1, E-19: the channel above is deleted: the binding ends, the work is stopped, and nothing is sent there', async () => {
  const world = await atWork();
  const { fake, general, user, room, thread } = world;
  const since = lastCall(world);
  fake.deleteChannel(room);
  await until(async () => (await activeRuns(world)).length === 0, { what: 'the work is stopped' });
  expect(await liveBinding(world)).toBeUndefined();
  user.sendMessage(general, 'ping', { mention: true });
  await fake.waitForReply(general, { matching: 're: ping' });
  expect(
    callsTo(fake, [room, thread], since).filter(
      ({ method, path }) => method === 'POST' && !path.includes('/typing'),
    ),
  ).toEqual([]);
  expect(await told(world, '/agents', general)).not.toContain('slow dig');
});

test('Q1, E-19: the bot is thrown out of the server: the binding ends, the work is stopped, other servers go on', async () => {
  const world = await atWork();
  const { fake, guild, user, room, thread } = world;
  const other = fake.addGuild({ name: 'Other' });
  fake.addMember(other, user);
  const since = lastCall(world);
  fake.removeBot(guild);
  await until(async () => (await activeRuns(world)).length === 0, { what: 'the work is stopped' });
  expect(await liveBinding(world)).toBeUndefined();
  const there = fake.channel(other, 'general');
  user.sendMessage(there, 'ping', { mention: true });
  await fake.waitForReply(there, { matching: 're: ping' });
  expect(
    callsTo(fake, [room, thread], since).filter(
      ({ method, path }) => method === 'POST' && !path.includes('/typing'),
    ),
  ).toEqual([]);
});

test('Q1: a server that is away for a while loses nothing', async () => {
  const world = await atWork();
  const { fake, guild, thread, models } = world;
  fake.setUnavailable(guild, true);
  fake.setUnavailable(guild, false);
  models.release(models.held()[0]!, 'found it');
  await fake.waitForReply(thread, { matching: 'found it' });
  expect(await liveBinding(world)).toBeDefined();
});

test('Q1: its thread is deleted while nobody listens: that is found out, and the result comes where it was asked for', async () => {
  const world = await atWork();
  const { fake, room, thread, models } = world;
  fake.pauseGateway();
  fake.dropGateway({ isResumable: false });
  fake.owner.deleteThread(thread);
  fake.resumeGateway();
  await fake.waitForReply(room, {
    matching: 'The thread of **slow dig** was deleted. It goes on',
    timeoutMs: 15_000,
  });
  models.release(models.held()[0]!, 'found it');
  await fake.waitForReply(room, { matching: 'heard of slow dig' });
  expect(await liveBinding(world)).toBeUndefined();
});

test('E-19: what is still to be sent to a channel that is deleted fails with its reason and holds up nobody', async () => {
  const world = await discordWorld();
  const { fake, guild, general, user, start } = world;
  const room = fake.addChannel(guild, { name: 'room' });
  const { store } = await start({ models: createScriptedModels(chatScript) });
  fake.faults.fail(new RegExp(`^POST /channels/${room.id}/messages$`), { status: 503 }, 2);
  for (const word of ['one', 'two', 'three']) user.sendMessage(room, word, { mention: true });
  await fake.waitFor('the outage', () => fake.journal.entries.find(({ status }) => status === 503));
  fake.deleteChannel(room);
  const failed = () => store.read.operations.failed(10);
  await until(async () => (await failed()).length > 0, { what: 'it has failed' });
  for (const { error } of await failed()) expect(error?.code).toBe('channel-not-found');
  user.sendMessage(general, 'ping', { mention: true });
  await fake.waitForReply(general, { matching: 're: ping' });
});
