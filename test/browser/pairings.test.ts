/** Letting strangers in, from the page. */
import { expect, it } from 'vitest';
import { eventually, visit } from '../support/browser.ts';
import { runSkein } from '../support/run-skein.ts';
import { startSkein } from '../support/skein-process.ts';
import { strangersWait } from '../support/strangers.ts';
import { tempDir } from '../support/temp-dir.ts';

it('the page tells the owner who waits, and lets them decide', async () => {
  const home = tempDir();
  const skein = await startSkein({ home });
  await strangersWait(home, ['<b>ann</b>', 'AAAA-2222'], ['bob', 'BBBB-3333']);
  const { page } = await visit(skein.pageUrl);

  const notice = page.getByRole('complementary', { name: 'People who wait to be let in' });
  await eventually(() => notice.locator('p').allTextContents()).toEqual([
    '<b>ann</b> wrote to me on discord and waits to be let in (code AAAA-2222).ApproveDeny',
    'bob wrote to me on discord and waits to be let in (code BBBB-3333).ApproveDeny',
  ]);
  await notice.getByRole('button', { name: 'Approve: <b>ann</b>' }).click();
  await notice.getByText('<b>ann</b> is let in.').waitFor();
  await notice.getByRole('button', { name: 'Deny: bob' }).click();
  await notice.getByText('bob is not let in.').waitFor();
  await notice.waitFor({ state: 'hidden' });

  const list = await runSkein(['pair', 'list'], { cwd: home, env: { SKEIN_HOME: home } });
  expect(list.stdout).toBe('Nobody waits to be let in.\n');
});

it('nothing is shown where nobody waits', async () => {
  const skein = await startSkein({ home: tempDir() });
  const { page } = await visit(skein.pageUrl);
  await page.locator('#composer-channel').waitFor();
  expect(await page.locator('#pairings').isVisible()).toBe(false);
});
