/** What /subagents info tells of a subagent, by its number and by the button of its card. */
import { expect, test } from 'vitest';
import type { SessionKey } from '../../src/core/ids.ts';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { startTestApp, type TestAppParts } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';

const GENERAL = 'agent:main:memory:channel:general' as SessionKey;

const start = (parts: TestAppParts = {}) =>
  startTestApp({ models: createScriptedModels(chatScript), ...parts });

test('CMD-04: /subagents info tells status, times, use, session and cleanup of a subagent', async () => {
  const clock = createManualClock(Date.UTC(2026, 0, 5, 12));
  const app = await start({ clock });
  await app.channel.say('spawn slow dig');
  await eventually(() => app.models.held()).toHaveLength(1);
  const [child] = await app.read.sessions.children(GENERAL);
  const [run] = await app.read.runs.active(child!.key);
  clock.advance(65_000);
  app.models.release(app.models.held()[0]!, 'found');
  await eventually(() => app.channel.texts()).toContain('heard of slow dig');
  await eventually(async () => (await app.read.announces.get(run!.id))?.status).toBe('delivered');
  const { replies } = await app.channel.say('/subagents info 1');
  expect(replies[0]!.split('\n')).toEqual([
    '**slow dig** (#1)',
    `Status: succeeded, 1m 5s (\`${run!.id}\`)`,
    'Times: asked for 2026-01-05 12:00 UTC, started 2026-01-05 12:00 UTC, ended 2026-01-05 12:01 UTC',
    'Agent: main, model: fake/model',
    'Tokens: 10 in, 5 out',
    'Subagents: none',
    'Thread: unbound',
    'Mode: run, cleanup: keep',
    `Session: \`${child!.key}\``,
    `Session id: \`${child!.id}\`, transcript: \`session:${child!.id}\``,
    'Result: delivered',
  ]);
  expect((await app.channel.say('/subagents info 7')).replies).toEqual([
    'There is no "7" here. There is: #1 slow dig.',
  ]);
  expect((await app.channel.say('/subagents info')).replies).toEqual(['Usage: /subagents info <target>']);
});

test('L1: a result that could not be delivered is named as such, and kept', async () => {
  const app = await start();
  await app.channel.say('spawn slow dig');
  await eventually(() => app.channel.texts()).toContain('started');
  app.channel.refuseNext('send', 'channel-permission-denied');
  app.models.release(app.models.held()[0]!, 'found');
  await eventually(async () => (await app.channel.say('/subagents info 1')).replies[0]).toContain(
    'Result: undelivered (the platform refused it). It is kept',
  );
});

test('the card of a subagent has a button that tells its details, also once it has ended', async () => {
  const app = await start();
  await app.channel.say('spawn thread dig');
  const card = () => app.channel.messages.find((message) => message.card)?.card;
  await eventually(() => card()?.state).toBe('succeeded');
  const details = card()!.actions.find(({ label }) => label === 'Details')!;
  expect(details).not.toHaveProperty('thread');
  const { replies } = await app.channel.say(details.command, { user: 'bob', event: { source: 'button' } });
  expect(replies[0]).toContain(
    `Thread: <${app.channel.threads[0]!.id}> thread:${app.channel.threads[0]!.id}`,
  );
});

test('the buttons of a subagent that was asked for in a thread act where it is known', async () => {
  const app = await start();
  const thread = app.channel.openPlainThread();
  await app.channel.say('spawn thread slow dig', { thread });
  const card = () => app.channel.messages.find((message) => message.card)?.card;
  await eventually(() => card()?.actions.map(({ label, thread: at }) => [label, at === thread])).toEqual([
    ['Stop', true],
    ['Unfocus', false],
    ['Details', true],
  ]);
  const stop = card()!.actions[0]!;
  expect(
    (await app.channel.say(stop.command, { thread: stop.thread!, event: { source: 'button' } })).replies,
  ).toEqual(['Stopped **slow dig**.']);
});

test('/subagents alone lists them', async () => {
  const app = await start();
  expect((await app.channel.say('/subagents')).replies).toEqual(['No subagents here yet.']);
});

test('BIND-03: a subagent cannot have a thread in a direct conversation that has none, and starts nothing', async () => {
  const app = await start();
  await app.channel.say('spawn thread dig', { isDirect: true });
  await eventually(() => app.channel.texts()).toContain('started');
  const seen = JSON.stringify(app.models.calls.at(-1)!.request.messages);
  expect(seen).toContain('there is no place here to open a thread');
  expect(app.channel.threads).toEqual([]);
  expect((await app.channel.say('/focus agent:main:main', { isDirect: true })).replies).toEqual([
    'There are no threads here.',
  ]);
});

test('BIND-03: where direct conversations have threads a subagent gets one there', async () => {
  const app = await start({ capabilities: { hasDirectThreads: true } });
  await app.channel.say('spawn thread dig', { isDirect: true });
  await eventually(() => app.channel.threads).toHaveLength(1);
});
