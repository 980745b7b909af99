/** Several subagents at once, each with a thread: every word stands once, where it belongs, and nowhere else. */
import { expect, test } from 'vitest';
import type { Channel, FakeDiscord } from '../fakes/discord/index.ts';
import { isSubagent, lastText } from '../fakes/scripted-models.ts';
import { settled, spawnInThread, spawningWorld, strangeIds, threadsOf } from '../support/discord-threads.ts';
import { until } from '../support/until.ts';

const lastWords = (text: string): string => text.split('\n').at(-1)!;

const botSays = (fake: FakeDiscord, place: Channel): readonly string[] =>
  fake
    .visible(place)
    .filter(({ author }) => author === 'skein')
    .map(({ text }) => text);

test('R1 R3 CHAN-04 two asked for in two threads by two people: exactly these words in exactly these places', async () => {
  const { fake, general, user, skein } = await spawningWorld((request) =>
    isSubagent(request) ? `I heard: ${lastWords(lastText(request))}` : 'handed over',
  );
  const bob = fake.addUser({ name: 'bob' });
  const [ta, tb] = [user.openThread(general, 'TA'), bob.openThread(general, 'TB')];
  user.sendMessage(ta, spawnInThread('moon'), { mention: true });
  bob.sendMessage(tb, spawnInThread('sun'), { mention: true });
  const [moon, sun] = [
    await fake.waitForThread({ named: 'moon' }),
    await fake.waitForThread({ named: 'sun' }),
  ];
  for (const thread of [moon, sun]) await fake.waitForReply(thread, { matching: 'I heard: see to' });
  const [craters, spots] = [bob.sendMessage(moon, 'craters'), user.sendMessage(sun, 'spots')];
  await fake.waitForReply(moon, { after: craters, matching: 'craters' });
  await fake.waitForReply(sun, { after: spots, matching: 'spots' });
  for (const [origin, label] of [
    [ta, 'moon'],
    [tb, 'sun'],
  ] as const) {
    await until(() => botSays(fake, origin).length >= 3, {
      what: `the lines about ${label}`,
      seen: () => botSays(fake, origin),
    });
  }
  await settled(skein);
  for (const [thread, label, word] of [
    [moon, 'moon', 'craters'],
    [sun, 'sun', 'spots'],
  ] as const) {
    const notice = expect.stringMatching(
      new RegExp(`^\\*\\*${label}\\*\\* \\(agent main\\) is in this thread\\.`),
    );
    expect(botSays(fake, thread)).toEqual([notice, `I heard: see to ${label}`, `I heard: ${word}`]);
  }
  for (const [origin, thread, label] of [
    [ta, moon, 'moon'],
    [tb, sun, 'sun'],
  ] as const) {
    expect([...botSays(fake, origin)].sort()).toEqual([
      `**${label}** is at work in <#${thread.id}>.`,
      `**${label}**: done, in <#${thread.id}>.`,
      'handed over',
    ]);
  }
  expect(botSays(fake, general)).toEqual([
    expect.stringContaining('**moon** · Done'),
    expect.stringContaining('**sun** · Done'),
  ]);
  expect(strangeIds(fake)).toEqual([]);
});

test('R11 a subagent that gives work on: the thread of that is one more in the channel, with lines in its own', async () => {
  const { fake, general, user, skein } = await spawningWorld(
    (request) => {
      const text = lastText(request);
      if (request.messages.at(-1)?.role === 'tool') return 'gave it on';
      if (isSubagent(request) && text.includes('and give on')) {
        const args = { task: 'see to the far side', label: 'far side', thread: true };
        return { calls: [{ name: 'sessions_spawn', arguments: args }] };
      }
      return `I heard: ${lastWords(text)}`;
    },
    { config: { agents: { defaults: { subagents: { maxSpawnDepth: 2 } } } } },
  );
  user.sendMessage(general, spawnInThread('moon', { task: 'see to the moon and give on' }), {
    mention: true,
  });
  const moon = await fake.waitForThread({ named: 'moon' });
  const farSide = await fake.waitForThread({ named: 'far side' });
  expect(farSide.parentId).toBe(general.id);
  await fake.waitForReply(farSide, { matching: 'I heard: see to the far side' });
  await fake.waitForReply(moon, { matching: `is at work in <#${farSide.id}>` });
  const asked = user.sendMessage(farSide, 'any news?');
  await fake.waitForReply(farSide, { after: asked, matching: 'I heard: any news?' });
  await settled(skein);
  expect(threadsOf(fake)).toHaveLength(2);
  expect(botSays(fake, general).join()).not.toContain('any news');
  expect(botSays(fake, moon).join()).not.toContain('any news');
});

test('R11 asked for in a thread that slept through a restart: a sibling under its channel', async () => {
  const { fake, general, user, skein, start, models } = await spawningWorld();
  const origin = user.openThread(user.sendMessage(general, 'a talk'), 'the talk');
  fake.owner.archiveThread(origin);
  await skein.stop();
  await start({ models });
  user.sendMessage(origin, spawnInThread('sibling'), { mention: true });
  const thread = await fake.waitForThread({ named: 'sibling' });
  expect(thread.parentId).toBe(general.id);
  await fake.waitForReply(origin, { matching: `<#${thread.id}>` });
  await fake.waitForReply(thread, { matching: 'see to sibling' });
});

test('M1 eight at once in one channel: eight threads, each with its own words once', async () => {
  const labels = Array.from({ length: 8 }, (_, i) => `w${i}`);
  const calls = labels.map((label) => ({
    name: 'sessions_spawn',
    arguments: { task: `see to ${label}`, label, thread: true },
  }));
  const { fake, general, user, skein } = await spawningWorld(
    (request) => {
      if (isSubagent(request)) return `I heard: ${lastWords(lastText(request))}`;
      return request.messages.at(-1)?.role === 'tool' ? 'handed over' : { calls };
    },
    { config: { agents: { defaults: { subagents: { maxChildrenPerAgent: 8 } } } } },
  );
  user.sendMessage(general, 'all of it', { mention: true });
  const threads: Channel[] = [];
  for (const label of labels) {
    const thread = await fake.waitForThread({ named: label });
    await fake.waitForReply(thread, { matching: 'I heard' });
    threads.push(thread);
  }
  await settled(skein);
  expect(threads.map((thread) => botSays(fake, thread).slice(1))).toEqual(
    labels.map((label) => [`I heard: see to ${label}`]),
  );
});
