/** How often run cards are redrawn: at the pace of their platform, in turn, and after what must be said. */
import { expect, test } from 'vitest';
import { createManualClock } from '../fakes/manual-clock.ts';
import { createScriptedModels } from '../fakes/scripted-models.ts';
import { startTestApp } from '../support/app.ts';
import { chatScript } from '../support/chat-script.ts';
import { eventually } from '../support/eventually.ts';

const INTERVAL_MS = 5_000;

/** Two subagents at work, each with a card in the same channel; `redrawn`: when cards were shown at work. */
async function startTwo() {
  const clock = createManualClock();
  const app = await startTestApp({
    clock,
    models: createScriptedModels(chatScript),
    capabilities: { editIntervalMs: INTERVAL_MS },
  });
  const redrawn: number[] = [];
  const { edit } = app.channel;
  app.channel.edit = async (target, part) => {
    if (part.card?.state === 'running') redrawn.push(clock.now());
    return edit(target, part);
  };
  await app.channel.say('spawn thread slow a, slow b');
  await eventually(() => app.models.held()).toHaveLength(2);
  const states = () => app.channel.messages.flatMap(({ card }) => (card ? [card.state] : []));
  await eventually(() => {
    if (states().includes('queued')) clock.advance(INTERVAL_MS / 5);
    return states();
  }).toEqual(['running', 'running']);
  return { app, clock, redrawn, states };
}

test('cards of one place are redrawn no more often than the platform wants, all together and in turn', async () => {
  const { app, clock, redrawn } = await startTwo();
  for (const limit of ['3h', '2h']) {
    for (const { id: thread } of app.channel.threads) {
      await app.channel.say(`/session idle ${limit}`, { thread });
    }
  }
  const before = redrawn.length;
  await eventually(() => {
    clock.advance(INTERVAL_MS / 5);
    return redrawn.length - before;
  }).toBeGreaterThanOrEqual(2);
  for (const [i, at] of redrawn.slice(1).entries())
    expect(at - redrawn[i]!).toBeGreaterThanOrEqual(INTERVAL_MS);
});

test('the last look of a card does not wait for that pace', async () => {
  const { app, states } = await startTwo();
  for (const call of app.models.held()) app.models.release(call, 'found');
  await eventually(states).toEqual(['succeeded', 'succeeded']);
});
