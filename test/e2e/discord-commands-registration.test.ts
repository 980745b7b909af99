/** How Discord comes to know the commands: what is written, where, how often, and what is left without them. */
import { expect, test } from 'vitest';
import type { CommandServices } from '../../commands/command.ts';
import { createCommands } from '../../commands/index.ts';
import type { FakeDiscord, Guild } from '../fakes/discord/index.ts';
import { discordWorld } from '../support/discord-app.ts';
import { createRecordingLog } from '../support/recording-log.ts';

const { specs } = createCommands({} as CommandServices);
const ALL = new Set(specs.map(({ name }) => name.split(' ')[0])).size;

function names(fake: FakeDiscord, guild?: Guild): readonly string[] {
  const commands = [...fake.world.commands.values()].filter(({ guildId }) => guildId === guild?.id);
  return commands.map(({ definition }) => String(definition.name)).sort();
}

const count = (fake: FakeDiscord, wanted: number, guild?: Guild) =>
  fake.waitFor(`${wanted} commands`, () => names(fake, guild).length === wanted || undefined);

/** Registration has asked for what is there, after which it writes. */
const looked = (fake: FakeDiscord, times: number, where = '') =>
  fake.waitFor('a look at the commands', () => {
    const looks = fake.journal.of(new RegExp(`^GET /applications/\\d+${where}/commands$`));
    return looks.filter(({ status }) => status === 200).length >= times || undefined;
  });

test('the first start makes all commands, and the second one writes nothing', async () => {
  const { fake, start } = await discordWorld();
  const first = await start({ waits: false });
  await count(fake, ALL);
  expect(fake.commandWrites.count).toBe(ALL);
  await first.stop();
  const { log, lines } = createRecordingLog();
  const second = await start({ log });
  await looked(fake, 2);
  await second.stop();
  expect(fake.commandWrites.count).toBe(ALL);
  expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

test('one changed description is one write, what was removed is made, and what is strange is taken away', async () => {
  const { fake, start } = await discordWorld();
  const first = await start({ waits: false });
  await count(fake, ALL);
  await first.stop();
  const commands = [...fake.world.commands.values()];
  const stop = commands.find(({ definition }) => definition.name === 'stop')!;
  fake.world.commands.set(stop.id, { ...stop, definition: { ...stop.definition, description: 'old' } });
  const changed = await start();
  await fake.waitFor('the description', () =>
    fake.world.commands.get(stop.id)?.definition.description === 'old' ? undefined : true,
  );
  expect(fake.commandWrites.count).toBe(ALL + 1);
  await changed.stop();
  const status = commands.find(({ definition }) => definition.name === 'status')!;
  fake.world.commands.delete(status.id);
  fake.world.commands.set('1', { id: '1', definition: { ...status.definition, id: '1', name: 'of-old' } });
  await start();
  await fake.waitFor('the commands as they should be', () =>
    names(fake).includes('status') && !names(fake).includes('of-old') ? true : undefined,
  );
  expect(fake.commandWrites.count).toBe(ALL + 3);
});

test('commands.guilds: commands are there and nowhere else, and move when that changes', async () => {
  const { fake, guild, general, user, start } = await discordWorld();
  const other = fake.addGuild({ name: 'Other' });
  const inGuilds = (...guilds: Guild[]) => ({ commands: { guilds: guilds.map(({ id }) => id) } });
  const first = await start({ waits: false, discord: inGuilds(guild) });
  await count(fake, ALL, guild);
  expect([names(fake), names(fake, other)]).toEqual([[], []]);
  expect((await user.runCommand(general, '/status').reply()).content).toContain('Work: idle');
  await first.stop();

  const second = await start({ waits: false, discord: inGuilds(other) });
  await count(fake, ALL, other);
  await count(fake, 0, guild);
  await second.stop();

  const third = await start({ waits: false });
  await count(fake, ALL);
  await count(fake, 0, other);
  await third.stop();

  const written = fake.commandWrites.count;
  const fourth = await start();
  await looked(fake, 4);
  await fourth.stop();
  expect(fake.commandWrites.count).toBe(written);

  await start({ waits: false, discord: inGuilds(guild) });
  await count(fake, ALL, guild);
  await count(fake, 0);
});

test('a server that the bot is not in does not keep the others from having commands', async () => {
  const { fake, guild, start } = await discordWorld();
  const { log, lines } = createRecordingLog();
  await start({ log, waits: false, discord: { commands: { guilds: ['123456789012345678', guild.id] } } });
  await count(fake, ALL, guild);
  expect(lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toContain(
    'Discord does not let the slash commands be registered there',
  );
});

test('30034: where Discord takes no more new commands today, that is said, and text is still heard', async () => {
  const { fake, general, user, start } = await discordWorld({ commandCreatesPerDay: 3 });
  const { log, lines } = createRecordingLog();
  const app = await start({ log, waits: false });
  await fake.waitFor(
    'a refused command',
    () => fake.journal.entries.some(({ code }) => code === 30034) || undefined,
  );
  const said = user.sendMessage(general, '/status', { mention: true });
  expect((await fake.waitForReply(general, { after: said })).content).toContain('Work: idle');
  expect(lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
    'Discord takes no more new slash commands today; they are registered at a later start',
  ]);
  await app.stop();
  fake.settings.commandCreatesPerDay = 200;
  await start({ waits: false });
  await count(fake, ALL);
});

test('commands.native: false registers none, takes away what is there, and leaves commands as text', async () => {
  const { fake, general, user, start } = await discordWorld();
  const first = await start({ waits: false });
  await count(fake, ALL);
  await first.stop();
  await start({ waits: false, config: { commands: { native: false } } });
  await count(fake, 0);
  const said = user.sendMessage(general, '/status', { mention: true });
  expect((await fake.waitForReply(general, { after: said })).content).toContain('Work: idle');
});

test('registration goes on after trouble that passes, and makes nothing twice', async () => {
  const { fake, start } = await discordWorld();
  fake.faults.fail(/^POST \/applications\/\d+\/commands$/, { status: 503 }, 1);
  fake.faults.cutAfter(/^POST \/applications\/\d+\/commands$/, 1);
  await start({ waits: false });
  await count(fake, ALL);
  expect(new Set(names(fake)).size).toBe(ALL);
});
