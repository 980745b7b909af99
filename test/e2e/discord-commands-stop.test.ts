/** `/stop` is never behind what it is to stop, and what was stopped says nothing more. */
import { expect, test } from 'vitest';
import { type Actor, APPLICATION_FLAGS, type Channel, type FakeDiscord } from '../fakes/discord/index.ts';
import { createScriptedModels, HOLD, isSubagent, lastText, type Script } from '../fakes/scripted-models.ts';
import { discordWorld } from '../support/discord-app.ts';
import { until } from '../support/until.ts';

const QUICK = 2_000;

/** Gives the command and resolves with its answer. */
type Way = (fake: FakeDiscord, who: Actor, place: Channel) => Promise<string>;

const asText =
  (text: string, mention: boolean): Way =>
  async (fake, who, place) => {
    const said = who.sendMessage(place, text, { mention });
    const reply = await fake.waitForReply(place, {
      after: said,
      matching: /^(Stopped|Nothing)/,
      timeoutMs: QUICK,
    });
    return reply.content;
  };

const WAYS: Readonly<Record<string, Way>> = {
  slash: async (_fake, who, place) => (await who.runCommand(place, '/stop').reply(QUICK)).content,
  text: asText('/stop', false),
  'mention and text': asText('/stop', true),
  'mention and word': asText('stop', true),
};

/** `stream`: the model goes on and on; `and wait`: for subagents, which say nothing by themselves. */
const script: Script = (request) => {
  const text = lastText(request);
  if (isSubagent(request) && text.includes('dig')) return HOLD;
  if (request.messages.at(-1)?.role === 'tool') {
    const yields = request.messages.some(
      (message) => message.role === 'user' && message.text.includes('and wait'),
    );
    const last = request.messages.at(-1);
    const isSpawned = last?.role === 'tool' && last.toolName === 'sessions_spawn';
    return yields && isSpawned ? { calls: [{ name: 'sessions_yield', arguments: {} }] } : 'started';
  }
  if (text.includes('stream')) return HOLD;
  const names = /spawn ([\w, ]+?)(?: and wait)?$/.exec(text)?.[1]?.split(', ');
  if (!names) return `echo: ${text}`;
  const spawn = (name: string) => {
    const args = { task: `dig ${name}`, label: name, thread: name.startsWith('bound') };
    return { name: 'sessions_spawn', arguments: args };
  };
  return { calls: names.map(spawn) };
};

async function world() {
  const made = await discordWorld({ flags: APPLICATION_FLAGS.messageContent });
  const models = createScriptedModels(script);
  const app = await made.start({
    models,
    discord: { guilds: { '*': { requireMention: false } } },
    config: {
      messages: { queue: { debounceMs: 0, mode: 'followup' } },
      agents: { defaults: { subagents: { maxSpawnDepth: 2 } } },
    },
  });
  const held = (count: number) =>
    until(() => models.held().length >= count, {
      what: `${count} models at work`,
      seen: () => models.calls.length,
    });
  const idle = () =>
    until(
      async () => {
        const { queued, running, waiting } = await app.store.read.runs.counts();
        return queued + running + waiting === 0;
      },
      { what: 'nothing to be at work' },
    );
  return { ...made, app, models, held, idle };
}

/** Something asked afterwards is answered next: nothing of what was stopped comes in between. */
async function expectSilence(fake: FakeDiscord, who: Actor, place: Channel): Promise<void> {
  const asked = who.sendMessage(place, 'are you there?', { mention: true });
  await fake.waitForReply(place, { after: asked, matching: 'are you there?' });
  const after = fake
    .visible(place)
    .filter(({ id, author }) => author === 'skein' && BigInt(id) > BigInt(asked.id));
  expect(after).toHaveLength(1);
}

test.each(Object.entries(WAYS))(
  'C1: by %s a model amid its answer is stopped, and once',
  async (_name, stop) => {
    const { fake, general, user, models, held, idle } = await world();
    user.sendMessage(general, 'stream');
    await held(1);
    expect(await stop(fake, user, general)).toBe('Stopped the answer that was being worked out.');
    await idle();
    expect(models.calls[0]!.state).toBe('aborted');
    expect(await stop(fake, user, general)).toBe('Nothing is running here.');
    await expectSilence(fake, user, general);
  },
);

test.each(Object.entries(WAYS))(
  'C1: by %s a wait for a subagent ends, and so does the subagent',
  async (_name, stop) => {
    const { fake, general, user, models, held, idle } = await world();
    user.sendMessage(general, 'spawn alpha and wait');
    await held(1);
    await until(() => models.calls.length >= 3, { what: 'the wait to begin' });
    expect(await stop(fake, user, general)).toBe(
      'Stopped the answer that was being worked out and 1 subagent.',
    );
    await idle();
    expect(await stop(fake, user, general)).toBe('Nothing is running here.');
    await expectSilence(fake, user, general);
  },
);

test.each(Object.entries(WAYS))(
  'C1: by %s in a bound thread its subagent is stopped, and nothing else',
  async (_name, stop) => {
    const { fake, general, user, models, held } = await world();
    user.sendMessage(general, 'spawn bound, beta');
    await held(2);
    const thread = await fake.waitForThread({ named: 'bound' });
    expect(await stop(fake, user, thread)).toBe('Stopped the answer that was being worked out.');
    await fake.waitForReply(thread, { matching: '**bound** was stopped.' });
    expect(await stop(fake, user, thread)).toBe('Nothing is running here.');
    await until(() => models.held().length === 1, { what: 'one to be left' });
    await expectSilence(fake, user, thread);
  },
);

test.each(Object.entries(WAYS))(
  'C1: by %s twenty messages that wait are taken back with what they wait for',
  async (_name, stop) => {
    const { fake, general, user, app, held, idle } = await world();
    user.sendMessage(general, 'stream');
    await held(1);
    for (let i = 0; i < 20; i++) user.sendMessage(general, `later ${i}`);
    await until(async () => (await app.store.read.runs.counts()).queued > 0, { what: 'messages to wait' });
    const session = (await app.store.read.sessions.recent(1))[0]!;
    await until(
      async () => {
        const runs = await app.store.read.runs.active(session.key);
        const pending = await Promise.all(runs.map(({ id }) => app.store.read.inputs.pending(id)));
        return pending.flat().length === 20;
      },
      { what: 'all twenty' },
    );
    expect(await stop(fake, user, general)).toMatch(
      /^Stopped the answer that was being worked out\. 20 waiting messages were removed\.$/,
    );
    await idle();
    await expectSilence(fake, user, general);
    expect(
      fake.visible(general).filter(({ text }) => text.startsWith('echo: ') && text.includes('later')),
    ).toEqual([]);
  },
);

test('C2: /stop ends all that the request led to, counts it, and leaves what is idle in its thread', async () => {
  const { fake, general, user, models, held, idle } = await world();
  user.sendMessage(general, 'spawn boundidle');
  const thread = await fake.waitForThread({ named: 'boundidle' });
  await held(1);
  models.release(models.held()[0]!, 'dug');
  await fake.waitForReply(thread, { matching: 'dug' });
  user.sendMessage(general, 'spawn alpha, beta, gamma');
  await held(3);
  const alpha = models.held().find(({ request }) => lastText(request).includes('dig alpha'))!;
  models.release(alpha, {
    calls: [{ name: 'sessions_spawn', arguments: { task: 'dig deeper', label: 'deeper' } }],
  });
  await until(() => models.held().some(({ request }) => lastText(request).includes('dig deeper')), {
    what: 'the grandchild',
  });
  const said = user.runCommand(general, '/stop');
  expect((await said.reply(QUICK)).content).toBe('Stopped 4 subagents.');
  await until(() => models.held().length === 0, { what: 'all to end' });
  await idle();
  await expectSilence(fake, user, general);
  const asked = user.sendMessage(thread, 'still there?');
  await fake.waitForReply(thread, { after: asked, matching: 'still there?' });
});
