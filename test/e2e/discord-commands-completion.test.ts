/** What Discord offers while a command is being typed. */
import { expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import type { Actor, Channel, FakeDiscord } from '../fakes/discord/index.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { type DiscordApp, delegating, discordWorld } from '../support/discord-app.ts';
import { until } from '../support/until.ts';

interface Typing {
  readonly option: string;
  readonly partial: string;
  readonly others?: Readonly<Record<string, string>>;
}

const offered =
  (who: Actor, place: Channel) =>
  async (line: string, option: string, partial = '', others?: Typing['others']) => {
    const typing: Typing = { option, partial, ...(others && { others }) };
    return (await who.autocomplete(place, line, typing)).map(({ name, value }) => [name, value]);
  };

async function delegated(fake: FakeDiscord, user: Actor, channel: Channel, label: string): Promise<Channel> {
  user.sendMessage(channel, `delegate ${label}`, { mention: true });
  const thread = await fake.waitForThread({ parent: channel, named: label });
  await fake.waitForReply(thread, { matching: `see to ${label}` });
  return thread;
}

async function interrupt({ store }: DiscordApp, label: string): Promise<string> {
  const [session] = await store.read.sessions.withLabel(label);
  const run = await until(
    async () =>
      (await store.read.runs.ofSession(session!.key, 1)).find(({ status }) => status === 'succeeded'),
    { what: 'a run that has ended' },
  );
  await store.transaction((tx) => tx.runs.update(run.id, { from: ['succeeded'] }, { status: 'interrupted' }));
  return run.id;
}

test('E-9: subagents are offered by number, and found by number, label and run', async () => {
  const { fake, general, user, start } = await discordWorld();
  const { store } = await start({ models: createScriptedModels(delegating) });
  const offers = offered(user, general);
  expect(await offers('/subagents kill', 'target')).toEqual([]);
  const thread = await delegated(fake, user, general, 'moon');
  await delegated(fake, user, general, 'sun');
  expect(await offers('/subagents kill', 'target')).toEqual([]);
  for (const line of ['/subagents info', '/focus'])
    expect(await offers(line, 'target'), line).toEqual([
      ['1: moon', '1'],
      ['2: sun', '2'],
    ]);
  expect(await offers('/subagents info', 'target', 'SU')).toEqual([['2: sun', '2']]);
  expect(await offers('/subagents info', 'target', '#1')).toEqual([['1: moon', '1']]);
  const [moon] = await store.read.sessions.withLabel('moon');
  const [run] = await store.read.runs.ofSession(moon!.key, 1);
  expect(await offers('/subagents info', 'target', run!.id.slice(0, 14))).toEqual([['1: moon', '1']]);
  expect(await offers('/subagents info', 'target', 'mars')).toEqual([]);
  // In the subagent's own thread it is about those below it, of which there are none; focus means its siblings.
  const inThread = offered(user, thread);
  expect(await inThread('/subagents kill', 'target')).toEqual([]);
  expect(await inThread('/focus', 'target')).toEqual([
    ['1: moon', '1'],
    ['2: sun', '2'],
  ]);
  const elsewhere = user.openThread(general, 'elsewhere');
  expect(await offered(user, elsewhere)('/focus', 'target', 'su')).toEqual([['2: sun', '2']]);
});

test('agents, models, durations, choices and commands are offered', async () => {
  const { general, user, start } = await discordWorld();
  await start({
    models: createScriptedModels(delegating, ['openrouter/vendor/large', 'ollama/llama3.2']),
    config: {
      agents: {
        list: [
          { id: 'main', subagents: { allowAgents: ['main', 'coder'] } },
          { id: 'coder' },
          { id: 'other' },
        ],
      },
    },
  });
  const offers = offered(user, general);
  expect(await offers('/subagents spawn', 'agentid')).toEqual([
    ['main', 'main'],
    ['coder', 'coder'],
  ]);
  expect(await offers('/subagents spawn', 'agentid', 'C')).toEqual([['coder', 'coder']]);
  const task = { agentid: 'main', task: 'look "up" --model x' };
  expect(await offers('/subagents spawn', 'model', '', task)).toEqual([
    ['fake/model', 'fake/model'],
    ['openrouter/vendor/large', 'openrouter/vendor/large'],
    ['ollama/llama3.2', 'ollama/llama3.2'],
  ]);
  for (const typed of ['openr', 'vendor/l', 'LARGE'])
    expect(await offers('/subagents spawn', 'model', typed, task), typed).toEqual([
      ['openrouter/vendor/large', 'openrouter/vendor/large'],
    ]);
  const durations = (await offers('/session idle', 'duration')).map(([, value]) => value);
  expect(durations).toEqual(['30m', '1h', '4h', '1d', 'off']);
  expect((await offers('/session max-age', 'duration', '1')).map(([, value]) => value)).toEqual(['1h', '1d']);
  expect((await offers('/help', 'command', 'session')).map(([, value]) => value)).toEqual([
    'session idle',
    'session max-age',
    'session unbind',
  ]);
});

test('runs that were interrupted are offered until somebody has decided', async () => {
  const { fake, general, user, start } = await discordWorld();
  const app = await start({ models: createScriptedModels(delegating) });
  await delegated(fake, user, general, 'moon');
  const run = await interrupt(app, 'moon');
  const offers = offered(user, general);
  expect(await offers('/resume', 'run')).toEqual([[`${run}: moon`, run]]);
  expect(await offers('/drop', 'run', run.slice(0, 6))).toEqual([[`${run}: moon`, run]]);
});

test('codes of strangers are offered to owners only', async () => {
  const { fake, general, user, start } = await discordWorld();
  await start();
  const stranger = fake.addUser({ name: 'eve' });
  stranger.sendDm('may I?');
  const told = await fake.waitForReply(stranger.dm, { matching: /code/i });
  const code = /\b[A-Z0-9]{4}-[A-Z0-9]{4}\b/.exec(told.content)![0].replace('-', '');
  const shown = await offered(fake.owner, fake.owner.dm)('/pair approve', 'code');
  expect(shown.map(([name, value]) => [name, String(value).replace('-', '')])).toEqual([
    [expect.stringContaining('eve on discord'), code],
  ]);
  expect(await offered(fake.owner, fake.owner.dm)('/pair deny', 'code', 'ev')).toEqual(shown);
  expect(await offered(user, general)('/pair approve', 'code')).toEqual([]);
});

test('AUTH-06: whoever may not give commands is offered nothing', async () => {
  const { fake, general, user, start } = await discordWorld();
  const { owner } = fake;
  await start({
    models: createScriptedModels(delegating),
    config: { commands: { allowFrom: { discord: [owner.id] } } },
  });
  await delegated(fake, user, general, 'moon');
  expect(await offered(user, general)('/subagents info', 'target')).toEqual([]);
  expect(await offered(owner, general)('/subagents info', 'target')).toEqual([['1: moon', '1']]);
});

test('with hundreds of subagents 25 are offered, and the rest is found by typing', async () => {
  const { fake, general, user, start } = await discordWorld();
  const { store } = await start({ models: createScriptedModels(delegating) });
  await delegated(fake, user, general, 'moon');
  const [moon] = await store.read.sessions.withLabel('moon');
  await store.transaction(async (tx) => {
    for (let i = 2; i <= 60; i++) {
      const key = `${moon!.key}-${i}` as SessionKey;
      await tx.sessions.ensure({ ...moon!, id: `session-${i}`, key, label: `moon ${i}`, ordinal: i });
    }
  });
  const offers = offered(user, general);
  expect(await offers('/subagents info', 'target')).toHaveLength(25);
  expect(await offers('/subagents info', 'target', 'moon 60')).toEqual([['60: moon 60', '60']]);
});
