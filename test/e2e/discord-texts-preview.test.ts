/** An answer that is still being written is shown in one message, edited now and then, and gone once the answer is there. */
import { expect, test } from 'vitest';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createWrittenModels, type WrittenCall } from '../fakes/written-models.ts';
import { discordWorld } from '../support/discord-app.ts';
import { until } from '../support/until.ts';

const config = { messages: { queue: { debounceMs: 0 } } };

/** On a clock that the test moves, with an answer begun. */
async function writing(discord: Record<string, unknown> = {}) {
  const clock = createManualClock(Date.now());
  const world = await discordWorld({ now: clock.now });
  const models = createWrittenModels();
  const app = await world.start({ models, clock, config, discord });
  const { fake, general, user } = world;
  const asked = user.sendMessage(general, 'tell me', { mention: true });
  const call = await until(() => models.calls[0], { what: 'a model call' });
  const seen = () => fake.visible(general).filter(({ author }) => author === 'skein');
  /** Writes on in pieces while time goes by. */
  const write = async (pieces: readonly string[], everyMs: number) => {
    for (const piece of pieces) {
      call.write(piece);
      await user.runCommand(general, '/status').reply();
      clock.advance(everyMs);
    }
  };
  return { ...world, app, asked, call, clock, seen, write };
}

const finish = (call: WrittenCall, rest: string) => {
  call.write(rest);
  call.finish();
};

test('one preview is edited at most every two seconds, and makes room for the answer, a new message', async () => {
  const { fake, general, app, asked, call, seen, write } = await writing();
  const words = Array.from({ length: 40 }, (_, i) => `word${i} `);
  await write(words, 250);
  const preview = await fake.waitForReply(general, { matching: 'still writing' });
  expect(seen()).toHaveLength(1);
  finish(call, 'and the end.');
  const answer = await fake.waitForReply(general, { matching: 'and the end.' });
  await app.stop();

  expect(preview.isDeleted).toBe(true);
  expect(BigInt(answer.id)).toBeGreaterThan(BigInt(preview.id));
  expect(answer.reference?.messageId).toBe(asked.id);
  expect(seen().map(({ text }) => text)).toEqual([`${words.join('')}and the end.`]);
  const shownAt = fake.journal
    .of(/^(POST|PATCH) \/channels\/\d+\/messages/)
    .filter(({ body }) => String((body as { content: string }).content).includes('still writing'))
    .map(({ at }) => at);
  expect(shownAt.length).toBeGreaterThanOrEqual(3);
  expect(shownAt.slice(1).filter((at, i) => at - shownAt[i]! < 2_000)).toEqual([]);
});

test('a preview shows the newest part of a long answer, wakes nobody, and keeps the token of the bot', async () => {
  const { fake, general, user, app, call, seen, write } = await writing();
  const bystander = fake.addUser({ name: 'bob' });
  await write(
    [`${'Long line of words. '.repeat(150)}\n`, `@everyone <@${bystander.id}> ${fake.token.slice(0, 30)}`],
    4_000,
  );
  await fake.waitForReply(general, { matching: '@everyone' });
  const [preview] = seen();
  expect(preview!.text.length).toBeLessThanOrEqual(2_000);
  expect(preview!.text).not.toContain(fake.token.slice(0, 10));
  finish(call, fake.token.slice(30));
  await fake.waitForReply(general, { matching: '[redacted]' });
  await app.stop();
  const said = fake.journal.entries.map(({ body }) => JSON.stringify(body) ?? '').join('\n');
  expect(said).not.toContain(fake.token.slice(10, 40));
  const pinged = fake.world.pings
    .filter(({ authorId }) => authorId === fake.botUser.id)
    .flatMap(({ users }) => users);
  expect(pinged.filter((id) => id !== user.id)).toEqual([]);
});

test('with streaming off there is nothing but the answer', async () => {
  const { fake, general, app, call, seen, write } = await writing({ streaming: 'off' });
  await write(
    Array.from({ length: 12 }, () => 'more '),
    1_000,
  );
  expect(seen()).toEqual([]);
  finish(call, 'end');
  await fake.waitForReply(general, { matching: 'end' });
  await app.stop();
  expect(seen()).toHaveLength(1);
  expect(fake.journal.of(/^(PATCH|DELETE) \/channels\/\d+\/messages/)).toEqual([]);
});

test('a preview goes when the answer is stopped, and what was written by then is not the answer', async () => {
  const { fake, general, user, app, seen, clock, write } = await writing();
  await write(['Once ', 'upon ', 'a time'], 1_000);
  const preview = await fake.waitForReply(general, { matching: 'still writing' });
  await user.runCommand(general, '/stop').reply();
  await until(
    () => {
      clock.advance(500);
      return preview.isDeleted;
    },
    { what: 'the preview goes' },
  );
  await app.stop();
  expect(seen()).toEqual([]);
});
