/** Who gets in: the printed address lets a browser in once and for all, and nothing else does. */
import { expect, it } from 'vitest';
import { visit } from '../support/browser.ts';
import { startSkein } from '../support/skein-process.ts';
import { tempDir } from '../support/temp-dir.ts';

it('without the token a page says kindly what to do, and shows nothing else', async () => {
  const skein = await startSkein({ home: tempDir() });
  const { page } = await visit(skein.url, { expected: /401/ });

  const heading = page.getByRole('heading', { level: 1 });
  expect(await heading.textContent()).toBe('This browser is not signed in');
  expect(await page.getByRole('main').textContent()).toContain('it printed an address that ends in');
  expect(await page.locator('textarea, nav').count()).toBe(0);
  expect((await page.goto(`${skein.url}/c/general`))?.status()).toBe(401);
});

it('the printed address leaves a cookie that no script reads and no other site sends, and no token in sight', async () => {
  const skein = await startSkein({ home: tempDir() });
  const { page, context } = await visit(skein.pageUrl);

  await page.locator('#composer-channel').waitFor();
  expect(page.url()).not.toContain('token');
  expect(await page.evaluate('document.cookie')).toBe('');
  const cookies = await context.cookies();
  expect(cookies).toHaveLength(1);
  expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  await page.goto(skein.url);
  await page.locator('#composer-channel').waitFor();
});
