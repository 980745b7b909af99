/** What the page shows when Skein goes away, and when it comes back. */
import { expect, it } from 'vitest';
import type { ChatBody } from '../fakes/model-server.ts';
import { eventually, expectQuiet, messagesIn, visit, write } from '../support/browser.ts';
import { createModelHome } from '../support/model-home.ts';
import { startSkein } from '../support/skein-process.ts';
import { tempDir } from '../support/temp-dir.ts';

/** What the browser and htmx write into the console when a server is not there. */
const GONE = /net::ERR_|^htmx:(sendError|afterRequest)/;

const isSubagent = (body: ChatBody) => JSON.stringify(body.messages).includes('You are a subagent');

it('kill -9 while a subagent works: the page comes back by itself and shows the result once, and no work that is over', async () => {
  const { home, env, model } = await createModelHome();
  const goOn = Promise.withResolvers<void>();
  let attempts = 0;
  model.reply(async (body) => {
    if (!isSubagent(body)) {
      if (body.messages.at(-1)?.role === 'tool') return { type: 'text', text: 'STARTED' };
      const args = { task: 'dig', label: 'digger', thread: true, context: 'isolated' };
      return { type: 'tool-calls', calls: [{ name: 'sessions_spawn', arguments: args }] };
    }
    attempts += 1;
    if (attempts === 1) return { type: 'stall', text: 'HALF A RESULT' };
    await goOn.promise;
    return { type: 'text', text: 'THE WHOLE RESULT' };
  });
  const first = await startSkein({ home, env });
  const { page, loads } = await visit(first.pageUrl, { expected: GONE });
  await write(page, 'channel', 'go');
  const card = page.locator('.channel-pane .card');
  await card.getByRole('link', { name: 'Open thread' }).click();
  await page.locator('.thread-pane .preview', { hasText: 'HALF A RESULT' }).waitFor();
  await messagesIn(page, 'channel').filter({ hasText: 'STARTED' }).waitFor();

  await first.kill();
  await page.locator('#banner', { hasText: 'Connection to Skein lost' }).waitFor();
  await startSkein({ home, env: { ...env, SKEIN_PORT: new URL(first.url).port } });
  await page.locator('#banner').waitFor({ state: 'hidden' });
  await eventually(() => attempts).toBe(2);
  expect(await page.locator('.preview').count()).toBe(0);
  expect(await card.getAttribute('data-state')).toBe('running');

  goOn.resolve();
  const result = messagesIn(page, 'thread').filter({ hasText: 'THE WHOLE RESULT' });
  await result.waitFor();
  await eventually(() => card.getAttribute('data-state')).toBe('succeeded');
  await expectQuiet(page);
  expect(await result.count()).toBe(1);
  expect(await page.locator('.card').count()).toBe(1);
  expect(await page.getByText('HALF A RESULT').count()).toBe(0);
  expect(loads()).toBe(1);
});

it('a message that could not be sent stays in the composer, says so, and is sent once when Skein is back', async () => {
  const home = tempDir();
  const first = await startSkein({ home });
  const { page } = await visit(first.pageUrl, { expected: GONE });
  await first.kill();

  await write(page, 'channel', 'are you there?');
  const problem = page.getByRole('alert').filter({ hasText: 'Not sent.' });
  await problem.waitFor();
  expect(await problem.textContent()).toContain('Your text is still here');
  const field = page.locator('#composer-channel');
  expect(await field.inputValue()).toBe('are you there?');

  await startSkein({ home, env: { SKEIN_PORT: new URL(first.url).port } });
  await field.press('Enter');
  await eventually(() => field.inputValue()).toBe('');
  const mine = page.locator('.channel-pane .from-user');
  await mine.first().waitFor();
  await messagesIn(page, 'channel').filter({ hasText: 'stand-in' }).waitFor();
  expect(await mine.count()).toBe(1);
  expect(await problem.count()).toBe(0);
});
