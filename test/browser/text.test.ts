/** What people and models write is shown as they wrote it, and never becomes a part of the page. */
import { expect, it } from 'vitest';
import { eventually, messagesIn, visit, write } from '../support/browser.ts';
import { createModelHome } from '../support/model-home.ts';
import { startSkein } from '../support/skein-process.ts';

const EVIL = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

it('HTML and scripts in messages, previews, labels and titles are shown as text', async () => {
  const { home, env, model } = await createModelHome();
  model.reply((body) => {
    const last = body.messages.at(-1)!;
    if (JSON.stringify(body.messages).includes('You are a subagent')) {
      return { type: 'text', text: `from the subagent: ${EVIL}` };
    }
    if (last.role === 'tool') {
      return { type: 'text', text: `started ${EVIL}`, chunks: [`started ${EVIL}`, ' '], delayMs: 1_500 };
    }
    const args = { task: 'dig', label: EVIL.slice(0, 40), thread: true, context: 'isolated' };
    return { type: 'tool-calls', calls: [{ name: 'sessions_spawn', arguments: args }] };
  });
  const skein = await startSkein({ home, env });
  const { page } = await visit(skein.pageUrl);
  const title = await page.title();

  await write(page, 'channel', EVIL);
  await page.locator('.channel-pane .preview', { hasText: 'onerror=' }).waitFor();
  await messagesIn(page, 'channel')
    .filter({ hasText: `started ${EVIL}` })
    .waitFor();
  await page.locator('.channel-pane .card').getByRole('link', { name: 'Open thread' }).click();
  await messagesIn(page, 'thread')
    .filter({ hasText: `from the subagent: ${EVIL}` })
    .waitFor();

  await eventually(() => page.locator('.from-user .text').allTextContents()).toEqual([EVIL]);
  expect(await page.locator('img, body script').count()).toBe(0);
  await page.reload();
  await messagesIn(page, 'thread').first().waitFor();
  expect(await page.locator('img, body script').count()).toBe(0);
  expect(await page.title()).not.toBe('owned');
  expect(title).toContain('#general');
});
