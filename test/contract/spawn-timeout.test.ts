/** How long a subagent may run, as its requester says it. */
import { expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import { createScriptedModels, HOLD, isSubagent } from '../fakes/scripted-models.ts';
import { startTestApp } from '../support/app.ts';

const GENERAL = 'agent:main:memory:channel:general' as SessionKey;

async function startWithHeldSubagents() {
  const app = await startTestApp({
    models: createScriptedModels((request) => (isSubagent(request) ? HOLD : 're')),
  });
  await app.channel.say('hello');
  return app;
}

test.each([31_536_001, 1e18])('a timeout of %d seconds is refused in words', async (runTimeoutSeconds) => {
  const { app, read } = await startWithHeldSubagents();
  expect(await app.runTool('sessions_spawn', GENERAL, { task: 'x', runTimeoutSeconds })).toMatchObject({
    status: 'ok',
    result: { status: 'error', error: expect.stringContaining('runTimeoutSeconds') },
  });
  expect(await read.sessions.descendants(GENERAL)).toEqual([]);
});

test('a timeout of a fraction of a second is kept in whole milliseconds', async () => {
  const { app, read } = await startWithHeldSubagents();
  expect(
    await app.runTool('sessions_spawn', GENERAL, { task: 'x', runTimeoutSeconds: 90.00015 }),
  ).toMatchObject({ status: 'ok', result: { status: 'accepted' } });
  const [child] = await read.sessions.descendants(GENERAL);
  await expect.poll(async () => (await read.runs.ofSession(child!.key, 1))[0]?.status).toBe('running');
});
