/** The first minutes with Skein as a person sees them: in the page, with the offline model. */
import { expect, it } from 'vitest';
import { eventually, expectQuiet, messagesIn, visit, write } from '../support/browser.ts';
import { createModelHome } from '../support/model-home.ts';
import { startSkein } from '../support/skein-process.ts';
import { tempDir } from '../support/temp-dir.ts';

it('BIND-26: from a request to a thread with a subagent in it, a talk there, a timer, and out again', async () => {
  const skein = await startSkein({ home: tempDir() });
  const { page, loads } = await visit(skein.pageUrl);

  await write(page, 'channel', 'look into the moon in a thread');
  const card = page.locator('.channel-pane .card');
  await card.waitFor();
  expect(await card.locator('.card-label').textContent()).toBe('moon');
  const inSidebar = page.locator('.threads a[data-place^="general/"]');
  await eventually(() => inSidebar.locator('.thread-bound').textContent()).toMatch(
    /focused.*ends in 23h 59m/s,
  );

  await card.getByRole('link', { name: 'Open thread' }).click();
  await page.getByRole('region', { name: 'Thread: moon' }).waitFor();
  const replies = messagesIn(page, 'thread');
  await replies.filter({ hasText: 'What you write here goes to it' }).waitFor();
  await replies.filter({ hasText: 'report on "the moon"' }).waitFor();
  await eventually(() => card.getAttribute('data-state')).toBe('succeeded');

  await write(page, 'thread', 'go on');
  await replies.filter({ hasText: 'Part 2' }).waitFor();
  await expectQuiet(page);

  await page.locator('#composer-thread').pressSequentially('/s');
  const option = page.locator('.thread-pane .completions [role=option][aria-selected=true]');
  await eventually(() => option.textContent()).toMatch(/^\/session/);
  await page.keyboard.press('ArrowDown');
  await eventually(() => option.textContent()).not.toMatch(/^\/session/);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await eventually(() => page.locator('#composer-thread').inputValue()).toBe('/session ');
  const idle = page.locator('.thread-pane .completions [role=option]', { hasText: /idle/ }).first();
  await idle.waitFor();
  while ((await idle.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await eventually(() => page.locator('#composer-thread').inputValue()).toBe('/session idle ');
  await page.keyboard.type('1h');
  await page.keyboard.press('Enter');
  await replies.filter({ hasText: 'Idle limit: 1h.' }).waitFor();
  await eventually(() => inSidebar.locator('.timer').textContent()).toMatch(/^ends in (1h|59m \d+s|59m)$/);
  await eventually(() => page.locator('[data-thread-bound] .timer').textContent()).toMatch(
    /^ends in (1h|59m)/,
  );

  await card.getByRole('button', { name: 'Unfocus: moon' }).click();
  await replies.filter({ hasText: 'no longer in this thread: it was unfocused' }).waitFor();
  await eventually(() => inSidebar.locator('.thread-bound').textContent()).toBe('not focused');
  await eventually(() => page.locator('[data-thread-bound]').textContent()).toBe('not focused');
  await eventually(() => card.getByRole('button').allTextContents()).toEqual(['Details']);
  expect(await messagesIn(page, 'thread').filter({ hasText: 'report on "the moon"' }).count()).toBe(1);
  expect(loads()).toBe(1);
});

it('ANN-01: a result is announced in the channel once, in place of its preview and without a reload', async () => {
  const skein = await startSkein({ home: tempDir() });
  const { page, loads } = await visit(skein.pageUrl);

  await write(page, 'channel', 'look into the tides');
  await page.locator('.channel-pane .preview', { hasText: 'tides is done' }).waitFor();
  const announcement = messagesIn(page, 'channel').filter({ hasText: 'tides is done' });
  await announcement.waitFor();
  expect(await page.locator('.preview').count()).toBe(0);

  await expectQuiet(page);
  expect(await announcement.count()).toBe(1);
  expect(await page.locator('.threads').count()).toBe(0);
  expect(loads()).toBe(1);
});

it('Stop on a card stops the work, and the card says so', async () => {
  const { home, env, model } = await createModelHome();
  model.reply((body) => {
    if (JSON.stringify(body.messages).includes('You are a subagent'))
      return { type: 'stall', text: 'Digging' };
    if (body.messages.at(-1)?.role === 'tool') return { type: 'text', text: 'STARTED' };
    const args = { task: 'dig', label: 'digger', thread: true, context: 'isolated' };
    return { type: 'tool-calls', calls: [{ name: 'sessions_spawn', arguments: args }] };
  });
  const skein = await startSkein({ home, env });
  const { page } = await visit(skein.pageUrl);

  await write(page, 'channel', 'go');
  const card = page.locator('.channel-pane .card');
  await eventually(() => card.locator('.card-state').textContent()).toBe('Working');
  await card.getByRole('button', { name: 'Stop: digger' }).click();
  await eventually(() => card.locator('.card-state').textContent()).toBe('Stopped');
  expect(await card.getByRole('button', { name: 'Stop' }).count()).toBe(0);
  await expectQuiet(page);
});

it('a thread can be opened from any message, and what is written there stays there', async () => {
  const skein = await startSkein({ home: tempDir() });
  const { page } = await visit(skein.pageUrl);

  await write(page, 'channel', 'hello');
  const mine = page.locator('.channel-pane .from-user');
  await mine.hover();
  await mine.getByRole('button', { name: 'Thread' }).click();
  await page.locator('#composer-thread').waitFor();
  await write(page, 'thread', 'and here?');
  await page.locator('.thread-pane .from-bot').waitFor();
  expect(await messagesIn(page, 'channel').filter({ hasText: 'and here?' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Close the thread' }).click();
  await eventually(() => page.locator('.thread-pane').count()).toBe(0);
  expect(await mine.locator('.thread-link').count()).toBe(1);
});
