/** Every command that Discord knows of, given in every way in which it can be given. */
import { expect, test } from 'vitest';
import type { FakeDiscord } from '../fakes/discord/index.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { discordWorld } from '../support/discord-app.ts';
import { COMMAND_CASES, type CommandCase, stageScript, type Use } from '../support/discord-command-cases.ts';

interface Shape {
  readonly name: string;
  readonly type: number;
  readonly options?: readonly Shape[];
}
const SUBCOMMAND = 1;

/** Registered commands with their options, those of two words as such. */
function registered(fake: FakeDiscord): ReadonlyMap<string, readonly string[]> {
  const shapes = [...fake.world.commands.values()].map(({ definition }) => definition as unknown as Shape);
  const namesOf = (options: readonly Shape[] = []) => options.map(({ name }) => name);
  return new Map(
    shapes.flatMap(({ name, options = [] }) => {
      const below = options.filter(({ type }) => type === SUBCOMMAND);
      if (below.length === 0) return [[name, namesOf(options)] as const];
      return below.map((each) => [`${name} ${each.name}`, namesOf(each.options)] as const);
    }),
  );
}

const isRegistered = (fake: FakeDiscord) =>
  fake.waitFor('the last command', () => (registered(fake).has('help') ? true : undefined));

/** What is said, as text: `undefined` if the command cannot be given so. */
type Give = (fake: FakeDiscord, name: string, use: Use) => Promise<string | undefined>;

const typed =
  (before: string, mention: boolean): Give =>
  async (fake, name, { place, by, words = '', answer }) => {
    const said = by.sendMessage(place, `${before}${name} ${words}`.trimEnd(), { mention });
    if (!answer) return undefined;
    const reply = await fake.waitForReply(place, { after: said, matching: answer });
    return reply.content;
  };

const natively: Give = async (_fake, name, { place, by, values = {} }) => {
  const given = by.runCommand(place, `/${name}`, values);
  const reply = await given.reply();
  expect(given.isEphemeral, name).toBe(true);
  expect(given.ackMs, name).toBeLessThan(3_000);
  return reply.content;
};

const WAYS: readonly [string, Give, (each: CommandCase) => boolean][] = [
  ['as slash commands', natively, () => true],
  ['as text behind a mention: @bot /x', typed('/', true), () => true],
  ['as text behind a mention: @bot !x', typed('!', true), () => true],
  ['without a slash behind a mention: @bot x', typed('', true), ({ needsSlash }) => needsSlash !== true],
];

test.each(WAYS)('CMD-24, CMD-26: all commands work %s', async (_way, give, isPossible) => {
  const { fake, guild, user, start } = await discordWorld();
  const app = await start({ models: createScriptedModels(stageScript) });
  await isRegistered(fake);
  expect([...registered(fake).keys()].sort()).toEqual(Object.keys(COMMAND_CASES).sort());
  for (const [name, options] of registered(fake)) {
    const each = COMMAND_CASES[name]!;
    if (!isPossible(each)) continue;
    const channel = fake.addChannel(guild, { name: name.replace(' ', '-') });
    const use = await each.prepare({ fake, guild, app, channel, user });
    expect(Object.keys(use.values ?? {}).sort(), `options of ${name}`).toEqual([...options].sort());
    const said = await give(fake, name, use);
    if (use.answer) expect(said, name).toMatch(use.answer);
    else if (give === natively) expect(said, name).toBe('Done.');
    await use.effect?.();
  }
});

test('CMD-24: in direct messages and where no mention is needed, text without one is a command too', async () => {
  const { fake, general, start } = await discordWorld({ flags: 1 << 18 });
  await start({ discord: { guilds: { '*': { requireMention: false } } } });
  const { owner } = fake;
  for (const text of ['/status', '!status', '  /STATUS', '/status:']) {
    for (const place of [general, owner.dm]) {
      const said = owner.sendMessage(place, text);
      expect((await fake.waitForReply(place, { after: said })).content).toContain('Work: idle');
    }
  }
});
