/** What a newcomer does in the first minutes, against the product as it is started, with the offline model. */
import { expect, it } from 'vitest';
import { startSkein } from '../support/skein-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';

it('BIND-26: a subagent gets a thread, answers there, gets a timer and is unfocused', async () => {
  const skein = await startSkein({ home: tempDir() });
  await skein.say('look into the moon in a thread');

  const { id: thread, boundTo } = await skein.waitForThread();
  expect(boundTo).toMatch(/^agent:main:subagent:[0-9a-f-]{36}$/);
  expect(await skein.waitForReply(/To leave: `\/unfocus`/, { thread })).toContain('agent main');
  await skein.waitForReply(/report on "?the moon/i, { thread });
  await skein.waitForReply(/I asked for a thread in which \*\*moon\*\*/);

  const followUp = await skein.say('go on', { thread });
  expect(followUp.sessionKey).toBe(boundTo);
  await skein.waitForReply(/Part 2/, { thread });

  await skein.say('/session idle 1h', { thread });
  await skein.waitForReply(/^Idle limit: 1h\./, { thread });
  const [bound] = await skein.threads();
  expect(bound!.idleLeftMs).toBeGreaterThan(3_590_000);
  expect(bound!.idleLeftMs).toBeLessThanOrEqual(3_600_000);

  await skein.say('/unfocus', { thread });
  await skein.waitForReply(/no longer in this thread: it was unfocused/, { thread });
  expect((await skein.threads())[0]!.boundTo).toBeUndefined();

  const after = await skein.say('hello', { thread });
  expect(after.sessionKey).toBe(`agent:main:webchat:channel:general:thread:${thread}`);
});

it('ANN-01 ANN-09: the result of a subagent without a thread is announced in the channel, in ordinary words', async () => {
  const skein = await startSkein({ home: tempDir() });
  await skein.say('look into the tides');

  const announcement = await skein.waitForReply(/tides.* is done/s);
  expect(announcement).not.toMatch(/agent:main|run_|sessionId/);
  expect(await skein.threads()).toEqual([]);
});

it('several subagents are started by one message and each reports once', async () => {
  const skein = await startSkein({ home: tempDir() });
  await skein.say('look into rivers, lakes and seas in threads');

  const threads = await until(
    async () => {
      const bound = (await skein.threads()).filter((thread) => thread.boundTo !== undefined);
      return bound.length === 3 && bound;
    },
    { what: 'three bound threads' },
  );
  for (const { id: thread } of threads) await skein.waitForReply(/report on/i, { thread });
  await until(
    async () => (await skein.messages()).filter(({ card }) => card?.state === 'succeeded').length === 3,
    { what: 'three finished cards' },
  );
});

it('a request that follows finished subagents is understood as itself', async () => {
  const skein = await startSkein({ home: tempDir() });
  await skein.say('look into the moon in a thread');
  const { id: thread } = await skein.waitForThread();
  await skein.waitForReply(/report on "?the moon/i, { thread });

  await skein.say('look into the sun in a thread');
  await skein.waitForReply(/I asked for a thread in which \*\*sun\*\*/);
});
