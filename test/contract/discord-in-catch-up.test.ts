/** What was said while the Discord adapter was away, and what became of threads. */
import { expect, test } from 'vitest';
import type { Channel } from '../fakes/discord/index.ts';
import { APPLICATION_FLAGS } from '../fakes/discord/index.ts';
import { fakeWithGuild, isReady, startAdapter } from '../support/discord-adapter.ts';
import { at } from '../support/discord-outbound.ts';
import { until } from '../support/until.ts';

const { messageContent } = APPLICATION_FLAGS;
const DAY_MS = 24 * 3_600_000;

test('X7: what was missed in a place comes first, once, oldest first, and live messages after it', async () => {
  const { fake, guild, general, user } = await fakeWithGuild();
  const role = fake.addRole(guild, { name: 'crew' });
  fake.addMember(guild, user, [role]);
  const known = user.sendMessage(general, 'known', { mention: true });
  user.sendMessage(general, 'past the bot');
  user.sendMessage(general, 'missed one', { mention: true });
  user.sendMessage(general, 'missed two', { mention: true });
  const gate = fake.faults.holdAfter(/GET \/channels\/\d+\/messages/, 1);
  const order: string[] = [];
  const { told } = await startAdapter(fake, {
    cursors: [{ address: at(general), eventId: known.id }],
    handlers: {
      message: async ({ text }) => {
        order.push(text);
        return { status: 'dropped', reason: 'not-addressed' };
      },
      missed: async (address, messages) => {
        told.missed.push({ address, messages });
        order.push(...messages.map(({ text }) => text));
      },
    },
  });
  await gate.reached;
  user.sendDm('elsewhere');
  user.sendMessage(general, 'live', { mention: true });
  await until(() => order.includes('elsewhere'), { what: 'the other place' });
  expect(order).toEqual(['elsewhere']);
  gate.release();
  await until(() => order.includes('live'), { what: 'the live message' });
  expect(order).toEqual(['elsewhere', 'missed one', 'missed two', 'live']);
  const [first] = told.missed[0]!.messages;
  expect(first).toMatchObject({ isMention: true, place: { space: guild.id, roles: [role.id] } });
});

test('X7: a new session looks again, a resumed one does not', async () => {
  const { fake, general, user } = await fakeWithGuild();
  const known = user.sendMessage(general, 'known', { mention: true });
  const { told, adapter } = await startAdapter(fake, {
    cursors: [{ address: at(general), eventId: known.id }],
  });
  const looks = () => fake.journal.of(/GET \/channels\/\d+\/messages/).length;
  await until(() => looks() === 1, { what: 'the first look' });
  fake.dropGateway();
  await until(() => fake.gateway.resumes.length === 1, { what: 'the resume' });
  await isReady(adapter);
  expect(looks()).toBe(1);

  fake.dropGateway({ isResumable: false });
  user.sendMessage(general, 'between sessions', { mention: true });
  await until(() => told.missed.length === 1, { what: 'what was missed' });
  expect(told.missed[0]!.messages.map(({ text }) => text)).toEqual(['between sessions']);
  expect(told.messages).toEqual([]);
});

test('only a day back, and the newest hundred that could be meant for the bot', async () => {
  let now = Date.now() - 2 * DAY_MS;
  const { fake, general, user } = await fakeWithGuild({ now: () => now });
  const known = user.sendMessage(general, 'known', { mention: true });
  user.sendMessage(general, 'too old', { mention: true });
  now = Date.now();
  for (let i = 1; i <= 150; i++) {
    user.sendMessage(general, `number ${i}`, { mention: i % 2 === 0 || i > 100 });
    now += 1;
  }
  const { told } = await startAdapter(fake, {
    cursors: [{ address: at(general), eventId: known.id }],
    parts: { hearsUnaddressed: () => false },
  });
  await until(() => told.missed.length === 1, { what: 'what was missed' });
  const texts = told.missed[0]!.messages.map(({ text }) => text);
  expect(texts).toHaveLength(100);
  expect(texts[0]).toBe('number 2');
  expect(texts.at(-1)).toBe('number 150');
});

test('a place that cannot be read is left, and the others are looked at all the same', async () => {
  const { fake, guild, general, user } = await fakeWithGuild();
  const hidden = fake.addChannel(guild, { name: 'hidden', type: 'text' });
  const known = user.sendMessage(general, 'known', { mention: true });
  user.sendMessage(general, 'missed', { mention: true });
  fake.faults.fail(new RegExp(`GET /channels/${hidden.id}/messages`), { status: 403, code: 50001 });
  fake.faults.fail(new RegExp(`GET /channels/${general.id}/messages`), { status: 503 }, 1);
  const { told } = await startAdapter(fake, {
    cursors: [hidden, general].map((channel) => ({ address: at(channel), eventId: known.id })),
  });
  await until(() => told.missed.length === 1, { what: 'what was missed' });
  expect(told.missed[0]!.address.conversation).toBe(general.id);
  expect(told.gone).toEqual([]);
});

test('Q1: a thread that was deleted meanwhile is gone', async () => {
  const { fake, general, user } = await fakeWithGuild();
  const thread = user.openThread(user.sendMessage(general, 'topic'), 'topic');
  const address = at(thread);
  fake.owner.deleteThread(thread);
  const { told } = await startAdapter(fake, { cursors: [{ address, eventId: thread.id }] });
  await until(() => told.gone.length === 1, { what: 'word of it' });
  expect(told.gone).toEqual([{ address, reason: 'deleted' }]);
});

async function threadIn(world: Awaited<ReturnType<typeof fakeWithGuild>>, channel: Channel = world.general) {
  return world.user.openThread(world.user.sendMessage(channel, 'topic'), 'topic');
}

test('Q1 Q2: archived threads sleep; locked and deleted ones are gone, with their channel or server too', async () => {
  const world = await fakeWithGuild({ flags: messageContent });
  const { fake, guild, general, user } = world;
  const second = fake.addChannel(guild, { name: 'second', type: 'text' });
  const { told } = await startAdapter(fake);
  const [archived, locked, deleted] = [await threadIn(world), await threadIn(world), await threadIn(world)];
  fake.owner.archiveThread(archived);
  fake.owner.lockThread(locked);
  fake.owner.deleteThread(deleted);
  fake.deleteChannel(second);
  await until(() => told.gone.length === 3, { what: 'word of it', seen: () => told.gone });
  expect(told.archived).toEqual([at(archived)]);
  expect(told.gone).toEqual([
    { address: at(locked), reason: 'locked' },
    { address: at(deleted), reason: 'deleted' },
    { address: at(second), reason: 'deleted' },
  ]);
  fake.setUnavailable(guild, true);
  user.sendDm('a moment later');
  const isLater = ({ text }: { text: string }) => text === 'a moment later';
  await until(() => told.messages.some(isLater), { what: 'the message' });
  expect(told.gone).toHaveLength(3);
  fake.setUnavailable(guild, false);
  fake.removeBot(guild);
  await until(() => told.gone.length > 3, { what: 'word of it' });
  expect(told.gone.slice(3)).toEqual([{ address: at(general), reason: 'deleted' }]);
});

test('a bound thread is joined once a session when it changes; a failed join is tried at the next change', async () => {
  const world = await fakeWithGuild();
  const { fake, user } = world;
  const bound: string[] = [];
  const { lines } = await startAdapter(fake, {
    handlers: {
      bindings: async () => bound.map((thread) => ({ thread, sessionKey: 's', label: 'l' })),
    },
  });
  const [thread, other] = [await threadIn(world), await threadIn(world)];
  bound.push(thread.id);
  const joins = () => fake.journal.of(/PUT \/channels\/\d+\/thread-members/);
  fake.faults.fail(/thread-members/, { status: 403, code: 50001 }, 1);
  user.renameThread(other, 'not ours');
  user.renameThread(thread, 'one');
  await until(() => joins().length === 1, { what: 'the first try' });
  await until(() => lines.some(({ message }) => message.startsWith('a thread could not be joined')), {
    what: 'word of it',
  });
  user.renameThread(thread, 'two');
  await until(() => joins().length === 2, { what: 'the second try' });
  user.renameThread(thread, 'three');
  fake.owner.archiveThread(thread);
  fake.owner.unarchiveThread(thread);
  await until(() => joins().length === 3, { what: 'the try after waking' });
  expect(joins().every(({ path }) => path.includes(thread.id))).toBe(true);
});
