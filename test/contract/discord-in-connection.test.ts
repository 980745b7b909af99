/** How the Discord adapter connects, stays connected, and says how it is doing. */
import { expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { APPLICATION_FLAGS } from '../fakes/discord/index.ts';
import { fakeWithGuild, isReady, startAdapter } from '../support/discord-adapter.ts';
import { until } from '../support/until.ts';

const { messageContent, messageContentLimited } = APPLICATION_FLAGS;

test('the application says who owns the bot and whether it reads what is not meant for it', async () => {
  const { fake } = await fakeWithGuild({ flags: messageContentLimited });
  const { adapter, told } = await startAdapter(fake);
  expect(adapter.capabilities).toMatchObject({
    readsUnmentioned: true,
    owners: [fake.owner.id],
    needsMention: true,
  });
  expect(told.changed).toBe(1);
});

test('of a team everybody who has accepted is an owner', async () => {
  const { fake, user } = await fakeWithGuild();
  fake.setTeam([fake.owner, user]);
  const { adapter } = await startAdapter(fake);
  expect(adapter.capabilities).toMatchObject({ readsUnmentioned: false, owners: [fake.owner.id, user.id] });
});

test('AUTH CFG-06: a refused token is said once, and not tried again and again', async () => {
  const { fake } = await fakeWithGuild();
  const { adapter, lines } = await startAdapter(fake, { parts: { token: 'bm8.no.no' }, waits: false });
  await until(() => adapter.state?.().status === 'down', { what: 'the refusal' });
  expect(adapter.state?.().detail).toMatch(/^Discord refused the token; put a valid one/);
  expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  expect(fake.journal.of(/applications/)).toHaveLength(1);
});

test('a token that is revoked while connected is said too', async () => {
  const { fake } = await fakeWithGuild();
  const { adapter } = await startAdapter(fake);
  fake.revokeToken();
  await until(() => adapter.state?.().status === 'down', { what: 'the refusal' });
  expect(adapter.state?.().detail).toContain('Discord refused the token');
});

test('Q4: an intent that is refused all the same is done without, and that is said', async () => {
  const { fake } = await fakeWithGuild({ flags: messageContent });
  const gate = fake.faults.holdAfter(/GET \/applications\/@me/, 1);
  const { adapter, lines } = await startAdapter(fake, { waits: false });
  await gate.reached;
  fake.setFlags(0);
  gate.release();
  await isReady(adapter);
  expect(adapter.capabilities.readsUnmentioned).toBe(false);
  expect(lines.map(({ message }) => message).join()).toContain('does not grant Message Content');
});

test('while Discord is away it goes on trying, and connects once it is back', async () => {
  const { fake } = await fakeWithGuild();
  fake.faults.fail(/GET \/applications\/@me/, { status: 503 }, 1);
  const { adapter } = await startAdapter(fake, { waits: false });
  await until(() => adapter.state?.().detail !== undefined, { what: 'word of it' });
  expect(adapter.state?.()).toEqual({
    status: 'connecting',
    detail: 'Discord cannot be reached; it is tried again',
  });
  await isReady(adapter);
});

test('a connection that Discord does not allow today is waited for, without trying', async () => {
  const { fake } = await fakeWithGuild({ identifyLimit: 0 });
  const { adapter } = await startAdapter(fake, { waits: false });
  await until(() => adapter.state?.().status === 'down', { what: 'word of it' });
  expect(adapter.state?.().detail).toMatch(/^Discord allows no further connection before \d{4}-/);
  expect(fake.gateway.identifies).toEqual([]);
});

test('X7: a dropped connection is resumed, and what was said meanwhile arrives once', async () => {
  const { fake, general, user } = await fakeWithGuild();
  const { told, adapter } = await startAdapter(fake);
  fake.dropGateway();
  user.sendMessage(general, 'meanwhile', { mention: true });
  await until(() => fake.gateway.resumes.length === 1, { what: 'a resume' });
  await isReady(adapter);
  user.sendMessage(general, 'later', { mention: true });
  await until(() => told.messages.length === 2, { what: 'both' });
  expect(told.messages.map(({ text }) => text)).toEqual(['meanwhile', 'later']);
  expect(fake.gateway.identifies).toHaveLength(1);
});

test('where Discord advises several shards there are several, and each hears its servers', async () => {
  const { fake, user, guild: first } = await fakeWithGuild({ recommendedShards: 2, maxConcurrency: 2 });
  const base = (BigInt(first.id) >> 23n) << 23n;
  const ids = [2n, 3n].map((number) => String(base + (number << 22n)));
  const guilds = ids.map((id, index) => fake.addGuild({ name: `Server ${index}`, id }));
  for (const guild of guilds) fake.addMember(guild, user);
  const { told } = await startAdapter(fake);
  expect(fake.gateway.identifies.map(({ shard }) => shard).sort()).toEqual([
    [0, 2],
    [1, 2],
  ]);
  for (const guild of guilds) user.sendMessage(fake.channel(guild, 'general'), 'hello', { mention: true });
  await until(() => told.messages.length === 2, { what: 'both' });
  expect(told.messages.map(({ place }) => place?.space).sort()).toEqual([...ids].sort());
});

test('stopping amid connecting leaves nothing behind', async () => {
  const { fake } = await fakeWithGuild();
  fake.pauseGateway();
  const { adapter } = await startAdapter(fake, { waits: false });
  await until(() => fake.journal.of(/gateway\/bot/).length > 0, { what: 'the attempt' });
  await adapter.stop();
  fake.resumeGateway();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(fake.gateway.connections).toBe(0);
  expect(fake.gateway.identifies).toEqual([]);
});

test('a stop comes to its end although nothing can be stored', async () => {
  const { fake } = await fakeWithGuild();
  let tries = 0;
  const capabilitiesChanged = () => {
    tries += 1;
    return Promise.reject(new AppError('store-busy', 'the database is busy'));
  };
  const { adapter } = await startAdapter(fake, { handlers: { capabilitiesChanged }, waits: false });
  await until(() => tries > 0, { what: 'an attempt to store' });
  await adapter.stop();
  expect(adapter.state?.().status).toBe('down');
});
