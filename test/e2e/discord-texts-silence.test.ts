/** Words by which a model says that it has nothing to say are never seen in Discord; words about them are. */
import { expect, test } from 'vitest';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createScriptedModels, isSubagent, lastText } from '../fakes/scripted-models.ts';
import { createWrittenModels } from '../fakes/written-models.ts';
import { discordWorld } from '../support/discord-app.ts';
import { until } from '../support/until.ts';

test('F10: a token alone says nothing, on the last line it is cut off, and anywhere else it stays', async () => {
  const { fake, general, user, start } = await discordWorld();
  const replies: readonly (readonly [reply: string, seen: string | undefined])[] = [
    ['NO_REPLY', undefined],
    ['\n  NO_REPLY \n', undefined],
    ['REPLY_SKIP', undefined],
    ['All is well.\n\nNO_REPLY', 'All is well.'],
    ['To stay silent I would say NO_REPLY.', 'To stay silent I would say NO_REPLY.'],
    ['```\nNO_REPLY\n```', '```\nNO_REPLY\n```'],
  ];
  const models = createScriptedModels((request) => replies[Number(lastText(request).at(-1))]![0]);
  const app = await start({ models });
  for (const i of replies.keys()) {
    user.sendMessage(general, String(i), { mention: true });
    await until(() => models.calls.length === i + 1, { what: 'a model call' });
  }
  const wanted = replies.flatMap(([, seen]) => seen ?? []);
  await fake.waitForReply(general, { matching: wanted.at(-1)! });
  await app.stop();
  expect(fake.visible(general).flatMap(({ author, text }) => (author === 'skein' ? text : []))).toEqual(
    wanted,
  );
});

test('F10: a turn about a result that has nothing to tell says nothing either', async () => {
  const { fake, general, user, start } = await discordWorld();
  const models = createScriptedModels((request) => {
    if (isSubagent(request)) return 'found nothing';
    if (request.messages.at(-1)?.role === 'tool') return 'I have asked.';
    if (lastText(request).includes('subagent completion')) return 'ANNOUNCE_SKIP';
    return { calls: [{ name: 'sessions_spawn', arguments: { task: 'look', label: 'look' } }] };
  });
  const app = await start({ models });
  user.sendMessage(general, 'look for it', { mention: true });
  await fake.waitForReply(general, { matching: 'I have asked.' });
  await until(() => models.calls.some(({ request }) => lastText(request).includes('subagent completion')), {
    what: 'the turn about the result',
  });
  await app.stop();
  expect(fake.visible(general).flatMap(({ author, text }) => (author === 'skein' ? text : []))).toEqual([
    'I have asked.',
  ]);
});

test('F10: a token that comes in two pieces is not seen, neither in a preview nor after it', async () => {
  const clock = createManualClock(Date.now());
  const { fake, general, user, start } = await discordWorld({ now: clock.now });
  const models = createWrittenModels();
  const app = await start({ models, clock, config: { messages: { queue: { debounceMs: 0 } } } });
  const seen = () => fake.visible(general).filter(({ author }) => author === 'skein');
  const shown: string[] = [];
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      await user.runCommand(general, '/status').reply();
      shown.push(...seen().map(({ text }) => text));
    }
  };
  const call = (index: number) => until(() => models.calls[index], { what: 'a model call' });

  user.sendMessage(general, 'one', { mention: true });
  const first = await call(0);
  first.write('NO_');
  await pass(5_000);
  first.write('REPLY');
  await pass(3_000);
  first.finish();

  user.sendMessage(general, 'two', { mention: true });
  const second = await call(1);
  second.write('All is well.');
  await pass(4_000);
  second.write('\n\nNO_RE');
  await pass(4_000);
  second.write('PLY');
  await pass(4_000);
  second.finish();
  await fake.waitForReply(general, { matching: (message) => message.content === 'All is well.' });
  await app.stop();
  expect(seen().map(({ text }) => text)).toEqual(['All is well.']);
  expect([...new Set(shown)]).toEqual(['All is well.\n-# still writing…']);
});
