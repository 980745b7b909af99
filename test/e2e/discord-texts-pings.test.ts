/** Whatever the bot says, it makes a sound for nobody but whom it answers. */
import { expect, test } from 'vitest';
import { APPLICATION_FLAGS } from '../fakes/discord/index.ts';
import { createScriptedModels, HOLD, isSubagent, lastText } from '../fakes/scripted-models.ts';
import { discordWorld } from '../support/discord-app.ts';

const flags = APPLICATION_FLAGS.messageContent;

/** A server where the bot might wake everybody, if it were let. */
async function noisyWorld() {
  const world = await discordWorld({ flags });
  const { fake } = world;
  const guild = fake.addGuild({
    name: 'Noisy',
    botPermissions: ['mentionEveryone'],
    channels: ['hall'],
  });
  const role = fake.addRole(guild, { name: 'crew' });
  const ann = fake.addUser({ name: 'cat', guilds: [guild] });
  const bystander = fake.addUser({ name: 'dan', guilds: [guild], roles: [role] });
  const shout = `@everyone @here <@&${role.id}> <@${bystander.id}> <@!${bystander.id}>`;
  const pinged = () =>
    fake.world.pings
      .filter(({ authorId }) => authorId === fake.botUser.id)
      .map(({ users, roles, isEveryone }) => ({ users, roles, isEveryone }));
  return { ...world, hall: fake.channel(guild, 'hall'), ann, bystander, shout, pinged };
}

const onlyFor = (id: string) => ({ users: [id], roles: [], isEveryone: false });

test('J6, E-10: an answer full of mentions sounds for whoever asked alone, at the edge of parts and as a file too', async () => {
  const { fake, hall, ann, shout, pinged, start } = await noisyWorld();
  const edges = `${'a'.repeat(1_990)} ${shout}`.repeat(2);
  const replies = [
    shout,
    `\`\`\`\n${shout}\n\`\`\``,
    edges,
    `${'paragraph of words\n\n'.repeat(800)}${shout}`,
  ];
  await start({ models: createScriptedModels((request) => replies[Number(lastText(request).at(-1))]!) });
  for (const [i, reply] of replies.entries()) {
    const asked = ann.sendMessage(hall, String(i), { mention: true });
    await fake.waitForReply(hall, {
      after: asked,
      matching: reply.length > 8_000 ? 'answer.md' : /everyone/,
    });
  }
  await fake.waitFor(
    'all parts',
    () => fake.visible(hall).filter(({ author }) => author === 'skein').length >= 6 || undefined,
  );
  expect(
    pinged().filter(({ users, roles, isEveryone }) => users.length + roles.length > 0 || isEveryone),
  ).toEqual(replies.map(() => onlyFor(ann.id)));
});

test('J6: labels, tasks, results, cards, notices and announcements of subagents sound for nobody else', async () => {
  const { fake, hall, ann, shout, pinged, start } = await noisyWorld();
  const models = createScriptedModels((request) => {
    const text = lastText(request);
    if (request.messages.at(-1)?.role === 'tool') return `spawned ${shout}`;
    if (isSubagent(request)) return text.includes('hold') ? HOLD : `result ${shout}`;
    if (text.includes('completion')) return `announced ${shout}`;
    const isThreaded = text.includes('thread');
    const args = {
      task: `work ${shout}`,
      label: shout.slice(0, 60),
      thread: isThreaded,
      ...(isThreaded && { mode: 'run' }),
    };
    return { calls: [{ name: 'sessions_spawn', arguments: args }] };
  });
  await start({ models });
  ann.sendMessage(hall, 'one in a thread', { mention: true });
  const thread = await fake.waitForThread({ parent: hall });
  await fake.waitForReply(thread, { matching: 'result' });
  await fake.waitForReply(hall, { matching: 'announced' });
  ann.sendMessage(hall, 'one without', { mention: true });
  await fake.waitFor(
    'the second announcement',
    () => fake.visible(hall).filter(({ text }) => text.startsWith('announced')).length === 2 || undefined,
  );
  ann.runCommand(thread, '/unfocus');
  await fake.waitForReply(thread, { matching: 'no longer' });
  const info = ann.runCommand(hall, '/agents');
  await info.reply();
  for (const ping of pinged())
    expect([onlyFor(ann.id), { users: [], roles: [], isEveryone: false }]).toContainEqual(ping);
});

test('J6: errors and names of files that somebody else chose sound for nobody', async () => {
  const { fake, hall, ann, shout, pinged, start } = await noisyWorld();
  await start({
    models: createScriptedModels(() => ({ failure: { class: 'invalid-request', message: `no: ${shout}` } })),
  });
  const asked = ann.sendMessage(hall, 'hello', {
    mention: true,
    attachments: [{ name: `@everyone ${shout}.exe`, bytes: 'MZ' }],
  });
  await fake.waitForReply(hall, { after: asked, matching: 'I could not take' });
  await fake.waitForReply(hall, { after: asked, matching: 'I could not answer this' });
  for (const ping of pinged())
    expect([onlyFor(ann.id), { users: [], roles: [], isEveryone: false }]).toContainEqual(ping);
});
