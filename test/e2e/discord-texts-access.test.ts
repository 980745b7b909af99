/** Who is heard in Discord, where: by servers, channels, people and roles, through events as they come in. */
import { expect, test } from 'vitest';
import { type Actor, APPLICATION_FLAGS, type Channel } from '../fakes/discord/index.ts';
import { createScriptedModels, lastText } from '../fakes/scripted-models.ts';
import { discordWorld } from '../support/discord-app.ts';
import { until } from '../support/until.ts';

/** Two servers, two channels, a role; ann has the role in the first server. */
async function town() {
  const world = await discordWorld({ flags: APPLICATION_FLAGS.messageContent });
  const { fake, guild, user: ann } = world;
  const side = fake.addChannel(guild, { name: 'side' });
  const role = fake.addRole(guild, { name: 'crew' });
  fake.addMember(guild, ann, [role]);
  const elsewhere = fake.addGuild({ name: 'Elsewhere', channels: ['lobby'] });
  fake.addMember(elsewhere, ann);
  const bob = fake.addUser({ name: 'bob' });
  const lobby = fake.channel(elsewhere, 'lobby');
  return { ...world, ann, bob, side, role, elsewhere, lobby };
}

type Town = Awaited<ReturnType<typeof town>>;
type Try = readonly [who: Actor, where: Channel, text: string];

/** Of these mentions only the `wanted` ones come to a model under those rules. */
async function hears(
  { fake, start }: Town,
  discord: Record<string, unknown>,
  tries: readonly Try[],
  wanted: readonly string[],
) {
  const models = createScriptedModels((request) => `heard ${lastText(request).split('\n').at(-1)}`);
  const app = await start({ models, discord });
  const heard = () => {
    const prompts = JSON.stringify(models.calls.map(({ request }) => request.messages));
    return tries.map(([, , text]) => text).filter((text) => prompts.includes(text));
  };
  for (const [who, where, text] of tries) who.sendMessage(where, text, { mention: true });
  for (const where of new Set(tries.map(([, channel]) => channel))) {
    if (where.guildId === undefined) continue;
    const asked = fake.owner.sendMessage(where, 'owner', { mention: true });
    await fake.waitForReply(where, { after: asked, matching: 'heard owner' });
  }
  await until(() => wanted.every((text) => heard().includes(text)), { what: wanted.join(), seen: heard });
  await app.stop();
  expect(heard()).toEqual(wanted);
}

test('AUTH-07: groupPolicy open hears everybody, disabled and an empty allowlist nobody but owners', async () => {
  const world = await town();
  const { ann, bob, general, lobby } = world;
  const tries = (n: number): readonly Try[] => [
    [ann, general, `ann-${n}`],
    [bob, general, `bob-${n}`],
    [ann, lobby, `lobby-${n}`],
  ];
  await hears(world, { groupPolicy: 'open' }, tries(1), ['ann-1', 'bob-1', 'lobby-1']);
  await hears(world, { groupPolicy: 'disabled' }, tries(2), []);
  await hears(world, { groupPolicy: 'allowlist' }, tries(3), []);
  await hears(world, { groupPolicy: 'allowlist', allowFrom: [bob.id] }, tries(4), ['bob-4']);
});

test('AUTH-07: servers, channels, people and roles that are listed are heard, a channel before its server', async () => {
  const world = await town();
  const { ann, bob, guild, general, side, role, lobby } = world;
  const tries = (n: number): readonly Try[] => [
    [ann, general, `ann-${n}`],
    [bob, general, `bob-${n}`],
    [ann, side, `ann-side-${n}`],
    [bob, side, `bob-side-${n}`],
    [bob, lobby, `lobby-${n}`],
  ];
  const under = (n: number, rules: Record<string, unknown>, wanted: readonly string[]) =>
    hears(world, { groupPolicy: 'allowlist', guilds: rules }, tries(n), wanted);
  await under(1, { [guild.id]: {} }, ['ann-1', 'bob-1', 'ann-side-1', 'bob-side-1']);
  await under(2, { [guild.id]: { roles: [role.id] } }, ['ann-2', 'ann-side-2']);
  await under(3, { [guild.id]: { users: [bob.id] } }, ['bob-3', 'bob-side-3']);
  await under(4, { [guild.id]: { channels: { [side.id]: {} } } }, ['ann-side-4', 'bob-side-4']);
  await under(
    5,
    {
      [guild.id]: { users: [ann.id], channels: { '*': {}, [side.id]: { users: [bob.id] } } },
    },
    ['ann-5', 'bob-side-5'],
  );
  await under(6, { [guild.id]: { channels: { [side.id]: { allow: false }, '*': {} } } }, ['ann-6', 'bob-6']);
  await under(7, { '*': { users: [bob.id] } }, ['bob-7', 'bob-side-7', 'lobby-7']);
});

test('AUTH-07: a thread has the rules of its channel, and where no mention is needed strangers are not heard either', async () => {
  const world = await town();
  const { fake, ann, bob, guild, general, start } = world;
  const thread = ann.openThread(general, 'talk');
  const models = createScriptedModels((request) => `heard ${lastText(request).split('\n').at(-1)}`);
  await start({
    models,
    discord: { groupPolicy: 'allowlist', guilds: { [guild.id]: { users: [ann.id], requireMention: false } } },
  });
  bob.sendMessage(general, 'bob says');
  bob.sendMessage(thread, 'bob says', { mention: true });
  ann.sendMessage(thread, 'ann in the thread');
  await fake.waitForReply(thread, { matching: 'heard ann in the thread' });
  ann.sendMessage(general, 'ann in the channel');
  await fake.waitForReply(general, { matching: 'heard ann in the channel' });
  expect(models.calls).toHaveLength(2);
});

test('AUTH-07: dmPolicy allowlist, open and disabled', async () => {
  const world = await town();
  const { fake, ann, bob, general } = world;
  const tries = (n: number): readonly Try[] => [
    [ann, ann.dm, `ann-${n}`],
    [bob, bob.dm, `bob-${n}`],
    [fake.owner, general, `flush-${n}`],
  ];
  await hears(world, { dmPolicy: 'allowlist', allowFrom: [ann.id] }, tries(1), ['ann-1', 'flush-1']);
  await hears(world, { dmPolicy: 'open' }, tries(2), ['ann-2', 'bob-2', 'flush-2']);
  await hears(world, { dmPolicy: 'disabled', allowFrom: [ann.id] }, tries(3), ['flush-3']);
  expect(fake.visible(bob.dm).filter(({ author }) => author === 'skein')).toHaveLength(1);
});

test('AUTH-06 P3: commands of people who may not give any are refused in private, and no model hears of them', async () => {
  const world = await town();
  const { fake, ann, bob, general, start } = world;
  const models = createScriptedModels(() => 'heard');
  await start({
    models,
    discord: { groupPolicy: 'open' },
    config: { commands: { allowFrom: { discord: [ann.id] } } },
  });
  const refused = bob.runCommand(general, '/stop');
  expect((await refused.reply()).content).toContain('You may not give me commands here');
  expect(refused.isEphemeral).toBe(true);
  bob.sendMessage(general, '/stop', { mention: true });
  await fake.waitForReply(general, { matching: 'You may not give me commands here' });
  expect((await ann.runCommand(general, '/status').reply()).content).not.toContain('You may not');
  expect(models.calls).toEqual([]);
});
