/** The page on a phone, 390 pixels wide. */
import { expect, it } from 'vitest';
import { eventually, measure, messagesIn, PHONE, visit, write } from '../support/browser.ts';
import { startSkein } from '../support/skein-process.ts';
import { tempDir } from '../support/temp-dir.ts';

it('a thread fills the screen with a way back, and nothing is wider than the screen', async () => {
  const skein = await startSkein({ home: tempDir() });
  await skein.say(`${'x'.repeat(400)}\n\n\`${'y'.repeat(200)}\`\n\nhttps://example.org/${'z'.repeat(200)}`, {
    user: 'u'.repeat(64),
  });
  const { page } = await visit(skein.pageUrl, { look: PHONE });
  await write(page, 'channel', 'look into the moon in a thread');
  const card = page.locator('.channel-pane .card[data-state="succeeded"]');
  await card.waitFor();
  expect(await measure(page, 'overflows')).toEqual([]);

  await card.getByRole('link', { name: 'Open thread' }).tap();
  await messagesIn(page, 'thread').filter({ hasText: 'report on "the moon"' }).waitFor();
  expect(await page.locator('.thread-pane').boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 });
  expect(await page.locator('.channel-pane').isVisible()).toBe(false);
  expect(await measure(page, 'overflows')).toEqual([]);

  await page.getByRole('link', { name: 'Close the thread' }).tap();
  await page.getByRole('button', { name: 'Channels and threads' }).tap();
  const thread = page.locator('.threads a');
  await thread.waitFor();
  await eventually(async () => (await page.locator('.sidebar').boundingBox())?.x).toBe(0);
  expect(await measure(page, 'overflows')).toEqual([]);
  await thread.tap();
  await page.locator('#composer-thread').waitFor();
  await page.locator('.sidebar').waitFor({ state: 'hidden' });
});
