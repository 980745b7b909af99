/** Bindings of Discord's threads over time: their first words, their limits, a restart, and their end. */
import { describe, expect, test } from 'vitest';
import { createManualClock } from '../fakes/manual-clock.ts';
import { said, settled, spawnInThread, spawningWorld } from '../support/discord-threads.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

async function bound(threadBindings: Record<string, unknown> = {}) {
  const clock = createManualClock(Date.now());
  const world = await spawningWorld(undefined, { clock, discord: { threadBindings } });
  const { fake, general, user, skein } = world;
  user.sendMessage(general, spawnInThread('moon'), { mention: true });
  const thread = await fake.waitForThread({ parent: general });
  await fake.waitForReply(thread, { matching: 'see to moon' });
  await settled(skein);
  const binding = async () => (await skein.store.read.bindings.ofAccount('discord', 'default', 5))[0];
  const ends = () => until(async () => (await binding()) === undefined, { what: 'the end of the binding' });
  return { ...world, clock, thread, binding, ends };
}

test('the first words of a bound thread tell both limits, for people to read', async () => {
  const { fake, thread } = await bound({ idleHours: 24, maxAgeHours: 48 });
  const [first] = fake.visible(thread);
  expect(first?.text).toContain('This ends after 1d without a message, and after 2d in any case.');
});

test('BIND-22 when it ends by idleness the bot says so itself, having asked Discord nothing about the thread', async () => {
  const { fake, thread, clock, ends } = await bound({ idleHours: 2 });
  fake.journal.clear();
  clock.advance(2 * HOUR_MS + 1_000);
  await ends();
  const farewell = await fake.waitForReply(thread, { matching: 'no longer in this thread' });
  expect(farewell.author.id).toBe(fake.botUser.id);
  expect(farewell.content).toContain('/focus moon');
  expect(fake.journal.of(/^GET /)).toEqual([]);
  expect(fake.journal.of(/webhooks/)).toEqual([]);
  expect(said(fake, thread).match(/no longer in this thread/g)).toHaveLength(1);
});

test('T1 in steady use it outlives its idle limit again and again, until it is silent', async () => {
  const { fake, thread, user, clock, binding, ends } = await bound({ idleHours: 24 });
  for (let day = 0; day < 4; day++) {
    clock.advance(20 * HOUR_MS);
    const asked = user.sendMessage(thread, `day ${day}`);
    await fake.waitForReply(thread, { after: asked, matching: `day ${day}` });
  }
  expect(await binding()).toBeDefined();
  clock.advance(DAY_MS + 1_000);
  await ends();
});

test('T1 its maximum age ends it whatever is said', async () => {
  const { fake, thread, user, clock, ends } = await bound({ idleHours: 0, maxAgeHours: 3 });
  for (let hour = 0; hour < 2; hour++) {
    clock.advance(HOUR_MS);
    const asked = user.sendMessage(thread, `hour ${hour}`);
    await fake.waitForReply(thread, { after: asked, matching: `hour ${hour}` });
  }
  clock.advance(HOUR_MS + 1_000);
  await ends();
  await fake.waitForReply(thread, { matching: 'maximum age' });
});

test('without an idle limit it never ends by idleness', async () => {
  const { clock, binding, fake, thread, user } = await bound({ idleHours: 0 });
  clock.advance(40 * DAY_MS);
  const asked = user.sendMessage(thread, 'still there?');
  await fake.waitForReply(thread, { after: asked, matching: 'still there?' });
  expect(await binding()).toMatchObject({ idleMs: 0, state: 'active' });
});

describe('/session', () => {
  test('a new idle limit counts from now, and when it was bound stays', async () => {
    const { user, thread, clock, binding } = await bound();
    const before = await binding();
    clock.advance(5 * HOUR_MS);
    const answer = await user.runCommand(thread, '/session idle', { duration: '2h' }).reply();
    const now = clock.now();
    expect(answer.content).toMatch(/^Idle limit: 2h\. Ends /);
    expect(await binding()).toMatchObject({
      boundAt: before!.boundAt,
      lastActivityAt: now,
      expiresAt: now + 2 * HOUR_MS,
    });
  });

  test('a new maximum age counts from when it was bound', async () => {
    const { user, thread, clock, binding } = await bound();
    const { boundAt } = (await binding())!;
    clock.advance(5 * HOUR_MS);
    await user.runCommand(thread, '/session max-age', { duration: '8h' }).reply();
    expect(await binding()).toMatchObject({ boundAt, expiresAt: boundAt + 8 * HOUR_MS });
  });

  test('a limit that no calendar holds is refused or cut, and never ends anything early', async () => {
    const { user, thread, clock, binding } = await bound();
    const answer = await user.runCommand(thread, '/session idle', { duration: '99999999999h' }).reply();
    expect(answer.content).not.toContain('Invalid');
    clock.advance(HOUR_MS);
    expect(await binding()).toBeDefined();
  });
});

test('BIND-16 after a restart it ends when it would have ended', async () => {
  const { skein, start, binding, clock, fake, thread, models } = await bound({ idleHours: 24 });
  const before = await binding();
  await skein.stop();
  clock.advance(23 * HOUR_MS);
  const next = await start({ clock, models, discord: { threadBindings: { idleHours: 24 } } });
  const after = (await next.store.read.bindings.ofAccount('discord', 'default', 5))[0];
  expect(after?.expiresAt).toBe(before?.expiresAt);
  clock.advance(HOUR_MS + 1_000);
  await fake.waitForReply(thread, { matching: 'idle limit' });
});

test('a subagent that is another agent says so in its thread, and its result is known where it was asked for', async () => {
  const { fake, general, user } = await spawningWorld(undefined, {
    config: { agents: { list: [{ id: 'main', subagents: { allowAgents: ['coder'] } }, { id: 'coder' }] } },
  });
  user.sendMessage(general, spawnInThread('moon', { agentId: 'coder' }), { mention: true });
  const thread = await fake.waitForThread({ parent: general });
  await fake.waitForReply(thread, { matching: '**moon** (agent coder) is in this thread.' });
  await fake.waitForReply(thread, { matching: 'see to moon' });
  await fake.waitForReply(general, { matching: '**moon** · Done' });
});

test('a session without a thread is refused, with what to use instead', async () => {
  const { fake, general, user } = await spawningWorld();
  const args = { thread: false, mode: 'session' };
  user.sendMessage(general, spawnInThread('moon', args), { mention: true });
  const told = await fake.waitForReply(general, { matching: 'needs thread: true' });
  expect(told.content).toContain('use mode \\"run\\"');
});

test.each([
  ['bindings', { enabled: false }, 'session.threadBindings.enabled'],
  ['spawning into threads', { spawnSubagentSessions: false }, 'spawnSubagentSessions'],
])(
  'BIND-08 BIND-24 with %s switched off the refusal names the setting',
  async (_what, threadBindings, key) => {
    const { fake, general, user } = await spawningWorld(undefined, { discord: { threadBindings } });
    user.sendMessage(general, spawnInThread('moon'), { mention: true });
    await fake.waitForReply(general, { matching: key });
  },
);
