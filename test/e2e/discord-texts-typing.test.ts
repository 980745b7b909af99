/** "… is typing" lasts as long as the work, however that ends. */
import { expect, test } from 'vitest';
import { APPLICATION_FLAGS, type Channel, type FakeDiscord } from '../fakes/discord/index.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import {
  createScriptedModels,
  HOLD,
  isSubagent,
  lastText,
  type ScriptedReply,
} from '../fakes/scripted-models.ts';
import { type DiscordApp, delegating, discordWorld } from '../support/discord-app.ts';
import { until } from '../support/until.ts';

const REPEAT_MS = 8_000;
const config = { messages: { queue: { debounceMs: 0 } } };

/** On a clock that the test moves; the model is held until it is released. */
async function heldWorld(discord: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
  const clock = createManualClock(Date.now());
  const world = await discordWorld({ now: clock.now, flags: APPLICATION_FLAGS.messageContent });
  const models = createScriptedModels((request) => {
    const reply = delegating(request);
    return isSubagent(request) || (typeof reply === 'string' && reply.includes('work')) ? HOLD : reply;
  });
  const app = await world.start({ models, clock, discord, config: { ...config, ...more } });
  const { fake, general, user } = world;
  /** Resolves once the model works on it and typing has been repeated. */
  const begin = async (channel: Channel = general) => {
    const isMention = channel === general;
    const before = typed(fake, channel);
    user.sendMessage(channel, 'work', { mention: isMention });
    await working(app);
    await types(fake, clock, channel, before + 3);
  };
  return {
    ...world,
    ...app,
    models,
    clock,
    begin,
    release: (reply: ScriptedReply) => models.release(models.held()[0]!, reply),
  };
}

type World = Awaited<ReturnType<typeof heldWorld>>;

const typed = (fake: FakeDiscord, { id }: Channel): number =>
  fake.journal.of(new RegExp(`POST /channels/${id}/typing`)).length;

const working = (app: Pick<DiscordApp, 'models'>) =>
  until(() => app.models.held().length > 0, { what: 'a model call' });

async function types(
  fake: FakeDiscord,
  clock: { advance(ms: number): void },
  channel: Channel,
  count: number,
) {
  await until(
    () => {
      if (typed(fake, channel) >= count) return true;
      clock.advance(REPEAT_MS / 8);
      return false;
    },
    { what: `typing, ${count} times`, seen: () => typed(fake, channel) },
  );
}

/** Once no call is under way any more. */
async function typedInAll({ fake, user, general }: World, channel: Channel): Promise<number> {
  for (;;) {
    const before = typed(fake, channel);
    await user.runCommand(general, '/status').reply();
    if (typed(fake, channel) === before) return before;
  }
}

/** The work is over, and half a minute goes by, in which whoever still types would be seen to. */
async function isQuiet(world: World, channel: Channel): Promise<boolean> {
  const { user, general, models, clock } = world;
  await until(() => models.held().length === 0, { what: 'the end of the work' });
  const status = async () => (await user.runCommand(general, '/status').reply()).content;
  await until(async () => !/working/i.test(await status()), { what: 'an idle session', seen: status });
  const before = await typedInAll(world, channel);
  for (let passed = 0; passed < 32; passed++) clock.advance(1_000);
  return (await typedInAll(world, channel)) === before;
}

test('Q8, E-5: typing is kept alive while a run works, and ends with its reply', async () => {
  const world = await heldWorld();
  await world.begin();
  world.release('done');
  await world.fake.waitForReply(world.general, { matching: 'done' });
  expect(await isQuiet(world, world.general)).toBe(true);
});

test('Q8: typing ends where nothing is said, where it fails, and where the reply is refused', async () => {
  const world = await heldWorld();
  const { fake, general } = world;
  await world.begin();
  world.release('NO_REPLY');
  expect(await isQuiet(world, general)).toBe(true);
  expect(fake.visible(general).filter(({ author }) => author === 'skein')).toEqual([]);

  await world.begin();
  world.release({ failure: { class: 'auth', message: 'no' } });
  await fake.waitForReply(general, { matching: 'I could not answer this' });
  expect(await isQuiet(world, general)).toBe(true);

  await world.begin();
  fake.faults.fail(/POST \/channels\/\d+\/messages/, { status: 403, code: 50013 });
  world.release('nobody will read this');
  expect(await isQuiet(world, general)).toBe(true);
  fake.faults.clear();
});

test('Q8: typing ends when a run is stopped by command', async () => {
  const world = await heldWorld();
  await world.begin();
  const stopped = world.user.runCommand(world.general, '/stop');
  expect((await stopped.reply()).content).toMatch(/stopped/i);
  expect(await isQuiet(world, world.general)).toBe(true);
});

test('Q8: typing ends in a bound thread when its subagent is stopped, or runs out of time', async () => {
  const world = await heldWorld({}, { agents: { defaults: { subagents: { runTimeoutSeconds: 120 } } } });
  const { fake, general, user } = world;
  user.sendMessage(general, 'delegate moon', { mention: true });
  const moon = await fake.waitForThread({ named: 'moon' });
  await working(world);
  await types(fake, world.clock, moon, 3);
  const card = await fake.waitForReply(general, { matching: '**moon**' });
  await user.clickButton(card, 'Stop').acknowledged();
  expect(await isQuiet(world, moon)).toBe(true);

  user.sendMessage(general, 'delegate sun', { mention: true });
  const sun = await fake.waitForThread({ named: 'sun' });
  await working(world);
  await types(fake, world.clock, sun, 3);
  for (let passed = 0; passed < 130; passed++) world.clock.advance(1_000);
  await fake.waitForReply(sun, { matching: 'ran out of time' });
  expect(await isQuiet(world, sun)).toBe(true);
});

test('Q8: a connection that drops and comes back neither stops typing nor leaves it on', async () => {
  const world = await heldWorld();
  const { fake, general } = world;
  await world.begin();
  fake.dropGateway();
  await fake.waitForGateway();
  await types(fake, world.clock, general, typed(fake, general) + 2);
  world.release('done');
  await fake.waitForReply(general, { matching: 'done' });
  expect(await isQuiet(world, general)).toBe(true);
});

test('Q8: typing has an end even where the work has none, and messages that are not heard show none', async () => {
  const world = await heldWorld();
  const { fake, general, user, clock } = world;
  user.sendMessage(general, 'said past the bot');
  await world.begin();
  expect(lastText(world.models.calls[0]!.request)).toContain('work');
  const count = typed(fake, general);
  for (let passed = 0; passed < 31 * 60; passed++) clock.advance(1_000);
  await until(() => typed(fake, general) > count + 100, { what: 'typing over half an hour' });
  const capped = await typedInAll(world, general);
  for (let passed = 0; passed < 60; passed++) clock.advance(1_000);
  expect(await typedInAll(world, general)).toBe(capped);
  world.release('late');
  await fake.waitForReply(general, { matching: 'late' });
});
