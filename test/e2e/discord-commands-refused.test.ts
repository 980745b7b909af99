/** Commands of people who may not give them, and commands that name what there is not. */
import { expect, test } from 'vitest';
import { APPLICATION_FLAGS, type FakeDiscord } from '../fakes/discord/index.ts';
import { createScriptedModels, lastText } from '../fakes/scripted-models.ts';
import { delegating, discordWorld } from '../support/discord-app.ts';
import { until } from '../support/until.ts';

interface Shape {
  readonly name: string;
  readonly type: number;
  readonly required?: boolean;
  readonly choices?: readonly { readonly value: string }[];
  readonly options?: readonly Shape[];
}

/** Every command with something for each option that it needs. */
function everyCommand(fake: FakeDiscord) {
  const shapes = [...fake.world.commands.values()].map(({ definition }) => definition as unknown as Shape);
  return shapes.flatMap(({ name, options = [] }) => {
    const below = options.filter(({ type }) => type === 1);
    const all =
      below.length > 0
        ? below.map((each) => ({ ...each, name: `${name} ${each.name}` }))
        : [{ name, options }];
    return all.map((each) => {
      const needed = (each.options ?? []).filter(({ required }) => required);
      const values = needed.map((option) => [option.name, option.choices?.[0]?.value ?? 'x'] as const);
      const text = [each.name, ...values.map(([, value]) => value)].join(' ');
      return { name: `/${each.name}`, values: Object.fromEntries(values), text: `/${text}` };
    });
  });
}

const REFUSAL = 'You may not give me commands here. Please ask whoever runs this bot to allow it.';

test('P3: every command of somebody who may give none is refused in a word, done by nobody and heard by no model', async () => {
  const { fake, general, user, start } = await discordWorld({ flags: APPLICATION_FLAGS.messageContent });
  const models = createScriptedModels(delegating);
  const { store } = await start({
    models,
    config: { commands: { allowFrom: { discord: [fake.owner.id] } } },
  });
  fake.owner.sendMessage(general, 'delegate moon', { mention: true });
  const thread = await fake.waitForThread({ parent: general });
  await fake.waitForReply(thread, { matching: 'see to moon' });
  await until(async () => (await store.read.runs.counts()).running === 0, { what: 'quiet' });
  const heard = models.calls.length;
  const commands = everyCommand(fake);
  expect(commands.length).toBeGreaterThan(20);
  for (const { name, values, text } of commands) {
    for (const place of [general, thread]) {
      const given = user.runCommand(place, name, values);
      expect((await given.reply()).content, name).toBe(REFUSAL);
      expect(given.isEphemeral, name).toBe(true);
    }
    const typed = user.sendMessage(general, text, { mention: true });
    expect((await fake.waitForReply(general, { after: typed })).content, text).toBe(REFUSAL);
    const inThread = user.sendMessage(thread, text);
    expect((await fake.waitForReply(thread, { after: inThread })).content, text).toBe(REFUSAL);
  }
  expect(models.calls).toHaveLength(heard);
  expect((await user.runCommand(general, '/pair list').reply()).content).toBe(REFUSAL);
});

test('P3: what is for owners only is refused in a word to everybody else', async () => {
  const { fake, general, user, start } = await discordWorld();
  const { models } = await start();
  for (const name of ['/pair list', '/pair approve', '/pair deny']) {
    const values = name === '/pair list' ? {} : { code: 'ABCD-EFGH' };
    const given = user.runCommand(general, name, values);
    expect((await given.reply()).content).toBe('Only an owner may do that.');
    expect(given.isEphemeral).toBe(true);
    const typed = user.sendMessage(general, `${name} ABCD-EFGH`, { mention: true });
    await fake.waitForReply(general, { after: typed, matching: /^(Only an owner|Usage)/ });
  }
  expect(models.calls).toEqual([]);
});

test('KEY-19: a native command makes no session and no run of its own', async () => {
  const { general, user, start } = await discordWorld();
  const { store } = await start();
  await user.runCommand(general, '/status').reply();
  await user.runCommand(general, '/queue', { mode: 'collect' }).reply();
  const sessions = await store.read.sessions.recent(100);
  expect(sessions.map(({ key }) => key)).toEqual([`agent:main:discord:channel:${general.id}`]);
  expect(sessions[0]).toMatchObject({ queueMode: 'collect' });
  expect(await store.read.runs.counts()).toEqual({ queued: 0, running: 0, waiting: 0 });
  await user.runCommand(user.dm, '/status').reply();
  expect((await store.read.sessions.recent(100)).filter(({ key }) => key.includes(':slash:'))).toEqual([]);
});

const ALLOWED: readonly (readonly [string, readonly string[] | undefined, readonly string[]])[] = [
  ["['*']", ['*'], ['main', 'coder', 'other']],
  ["['coder']", ['coder'], ['main', 'coder']],
  ['[]', [], ['main']],
  ['absent', undefined, ['main']],
];

test.each(ALLOWED)(
  'P5: with allowAgents %s command, completion and tool agree on who may be spawned',
  async (_name, allowAgents, allowed) => {
    const { fake, general, user, start } = await discordWorld();
    const models = createScriptedModels((request) => {
      const spawned = /^(?:\[message from ann\]\n)?tool (\w*)$/.exec(lastText(request));
      const last = request.messages.at(-1);
      if (last?.role === 'tool') return `tool said ${last.result}`;
      if (!spawned) return 'ok';
      const agentId = spawned[1] === 'omitted' ? {} : { agentId: spawned[1] };
      return {
        calls: [{ name: 'sessions_spawn', arguments: { task: 'count', context: 'isolated', ...agentId } }],
      };
    });
    const subagents = allowAgents === undefined ? {} : { subagents: { allowAgents } };
    const { store } = await start({
      models,
      config: { agents: { list: [{ id: 'main', ...subagents }, { id: 'coder' }, { id: 'other' }] } },
    });
    const offered = await user.autocomplete(general, '/subagents spawn', { option: 'agentid', partial: '' });
    expect(offered.map(({ value }) => value)).toEqual(allowed);
    const key = `agent:main:discord:channel:${general.id}` as Parameters<typeof store.read.sessions.get>[0];
    const count = async () => (await store.read.sessions.children(key)).length;
    let expected = 0;
    for (const agent of ['main', 'coder', 'Coder', 'other', 'nobody']) {
      const isAllowed = allowed.includes(agent.toLowerCase());
      const given = user.runCommand(general, '/subagents spawn', { agentid: agent, task: 'count' });
      const byCommand = (await given.reply()).content;
      const asked = user.sendMessage(general, `tool ${agent}`, { mention: true });
      const byTool = (await fake.waitForReply(general, { after: asked, matching: 'tool said' })).content;
      if (isAllowed) expected += 2;
      expect(byCommand, agent).toMatch(isAllowed ? /^Started / : /^Not started: /);
      if (isAllowed) expect(byTool, agent).toContain('"accepted"');
      else {
        for (const id of allowed) expect(byCommand, agent).toContain(id);
        const error = byCommand.replace(/^Not started: /, '').replace(/\.$/, '');
        expect(byTool.replaceAll('\\"', '"'), agent).toContain(error);
      }
      expect(await count(), agent).toBe(expected);
    }
    const asked = user.sendMessage(general, 'tool omitted', { mention: true });
    await fake.waitForReply(general, { after: asked, matching: '"accepted"' });
  },
);
