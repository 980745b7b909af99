/** Told to end, or killed amid an answer that people see grow: nothing is left standing, and the answer comes once. */
import { expect, test } from 'vitest';
import type { FakeDiscord } from '../fakes/discord/index.ts';
import { discordProcesses } from '../support/discord-process.ts';
import { botTexts, expectAnswersIn } from '../support/discord-questions.ts';
import { untilClosed } from '../support/questions.ts';
import { until } from '../support/until.ts';

const PREVIEW = /still writing…/;
const isPreviewCall = ({ method, body }: { method: string; body: unknown }) =>
  method === 'POST' && PREVIEW.test(String((body as { content?: string } | undefined)?.content));

/** The first time slowly, so that a preview is shown; then at once. */
function slowly(words = 40) {
  let isFirst = true;
  return () => {
    const text = `the answer is ${Array.from({ length: words }, (_, n) => `word-${n}`).join(' ')}`;
    const delayMs = isFirst ? 200 : 0;
    isFirst = false;
    return { type: 'text', text, delayMs } as const;
  };
}

const previewsIn = (fake: FakeDiscord) =>
  [...fake.world.channels.values()].flatMap((channel) =>
    botTexts(fake, channel).filter((text) => PREVIEW.test(text)),
  );

test('a preview that a killed process has left is removed at the next start, and the answer comes once', async () => {
  const { fake, general, user, model, start } = await discordProcesses();
  model.reply(slowly());
  const first = await start();
  user.sendMessage(general, 'tell me', { mention: true });
  await fake.waitForReply(general, { matching: PREVIEW });
  await first.kill();
  const skein = await start();
  await fake.waitForReply(general, { matching: /word-39$/ });
  await until(() => previewsIn(fake).length === 0, {
    what: 'the preview is gone',
    seen: () => fake.visible(general),
  });
  expect(botTexts(fake, general)).toEqual([expect.stringMatching(/^the answer is word-0 .* word-39$/)]);
  expect(await skein.terminate()).toBe(0);
});

test('a preview whose id the killed process never learned is found and removed', async () => {
  const { fake, general, user, model, start } = await discordProcesses();
  model.reply(slowly());
  const first = await start();
  const gate = fake.faults.holdAfter(isPreviewCall, 1);
  user.sendMessage(general, 'tell me', { mention: true });
  await gate.reached;
  await first.kill();
  expect(previewsIn(fake)).toHaveLength(1);
  const skein = await start();
  await fake.waitForReply(general, { matching: /word-39$/ });
  await until(() => previewsIn(fake).length === 0, {
    what: 'the preview is gone',
    seen: () => fake.visible(general),
  });
  expect(botTexts(fake, general)).toHaveLength(1);
  expect(await skein.terminate()).toBe(0);
});

test('E-13: SIGTERM amid a run: the reply is posted before the end, and nothing is said again after the next start', async () => {
  const { fake, general, user, model, start } = await discordProcesses();
  const first = await start();
  model.hold();
  user.sendMessage(general, 'q-1', { mention: true });
  await model.waitForRequests(1);
  const ended = first.terminate();
  await untilClosed(first);
  model.release();
  expect(await ended).toBe(0);
  expect(botTexts(fake, general)).toEqual(['re q-1']);

  const again = await start();
  user.sendMessage(general, 'q-2', { mention: true });
  await expectAnswersIn(fake, general, ['q-1', 'q-2']);
  expect(model.requests).toHaveLength(2);
  expect(await again.terminate()).toBe(0);
});

test('E-13: SIGTERM while an answer grows that takes too long: its preview is taken away, and it comes once, later', async () => {
  const { fake, general, user, model, start } = await discordProcesses({
    config: { shutdown: { graceSeconds: 1 } },
  });
  model.reply(slowly(100));
  const first = await start();
  user.sendMessage(general, 'tell me', { mention: true });
  await fake.waitForReply(general, { matching: PREVIEW });
  expect(await first.terminate()).toBe(0);
  expect(botTexts(fake, general)).toEqual([]);
  const again = await start();
  await fake.waitForReply(general, { matching: /word-99$/ });
  expect(botTexts(fake, general)).toHaveLength(1);
  expect(await again.terminate()).toBe(0);
});

test('E-13: messages that come while it stops and while it is gone are answered once, in order, after the next start', async () => {
  const { fake, general, user, model, start } = await discordProcesses();
  const first = await start();
  user.sendMessage(general, 'q-1', { mention: true });
  await expectAnswersIn(fake, general, ['q-1']);
  model.hold();
  user.sendMessage(general, 'q-2', { mention: true });
  await model.waitForRequests(2);
  const ended = first.terminate();
  await untilClosed(first);
  user.sendMessage(general, 'q-3', { mention: true });
  model.release();
  expect(await ended).toBe(0);
  user.sendMessage(general, 'q-4', { mention: true });
  const again = await start();
  user.sendMessage(general, 'q-5', { mention: true });
  await expectAnswersIn(fake, general, ['q-1', 'q-2', 'q-3', 'q-4', 'q-5']);
  expect(model.violations).toEqual([]);
  expect(await again.terminate()).toBe(0);
});
