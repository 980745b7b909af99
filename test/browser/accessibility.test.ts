/** The page for those who use no pointer, hear rather than see it, or need clear contrast. */
import { expect, it } from 'vitest';
import { DESKTOP, eventually, expectQuiet, measure, messagesIn, visit, write } from '../support/browser.ts';
import { startSkein } from '../support/skein-process.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A channel with a finished run, whose thread is open. */
async function visitThread(colorScheme: 'light' | 'dark') {
  const skein = await startSkein({ home: tempDir() });
  const visited = await visit(skein.pageUrl, { look: { ...DESKTOP, colorScheme } });
  const { page } = visited;
  await write(page, 'channel', 'look into the moon in a thread');
  await page.locator('.channel-pane .card').getByRole('link', { name: 'Open thread' }).click();
  await messagesIn(page, 'thread').filter({ hasText: 'report on "the moon"' }).waitFor();
  await expectQuiet(page);
  return visited;
}

it('the keyboard alone reaches every control, and it can be seen where it is', async () => {
  const { page } = await visitThread('light');
  const controls = await measure(page, 'controls');
  expect(controls.length).toBeGreaterThan(12);

  const reached = new Set<string>();
  await page.locator('.brand').click();
  for (const _ of [...controls, 'once around']) {
    await page.keyboard.press('Tab');
    const { name, isSeen } = await measure(page, 'focused');
    if (name.startsWith('body')) continue;
    expect(isSeen, `the focus on ${name}`).toBe(true);
    reached.add(name);
  }
  expect([...reached].sort()).toEqual([...new Set(controls)].sort());
});

it('"/" leads to the composer, Escape out of the thread, and a thread is opened with Enter', async () => {
  const { page } = await visitThread('light');
  await page.locator('.brand').click();
  await page.keyboard.press('/');
  expect((await measure(page, 'focused')).name).toMatch(/#composer-thread/);
  await eventually(() => page.locator('#composer-thread').inputValue()).toBe('');

  await page.keyboard.press('Escape');
  await eventually(() => page.locator('.thread-pane').count()).toBe(0);
  await eventually(async () => (await measure(page, 'focused')).name).toMatch(/#composer-channel/);
  await page.locator('.threads a').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Thread: moon' }).waitFor();
});

it('places, controls and choices have roles and names', async () => {
  const { page, context } = await visitThread('light');
  expect(await page.getByRole('main').count()).toBe(1);
  expect(await page.getByRole('navigation', { name: 'Channels and threads' }).count()).toBe(1);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('#general');
  expect(await page.getByRole('region', { name: 'Thread: moon' }).count()).toBe(1);
  expect(await page.getByRole('region', { name: 'Run: moon' }).count()).toBe(1);

  const field = page.locator('#composer-channel');
  await field.pressSequentially('/s');
  const list = page.locator('.channel-pane').getByRole('listbox', { name: 'Commands' });
  const chosen = list.getByRole('option', { selected: true });
  await chosen.waitFor();
  expect(await chosen.count()).toBe(1);
  expect(await field.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'));
  expect(await field.getAttribute('aria-expanded')).toBe('true');

  const session = await context.newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const roles = ['button', 'link', 'textbox', 'combobox', 'option', 'listbox', 'region', 'navigation'];
  const named = nodes.filter(({ ignored, role }) => !ignored && roles.includes(String(role?.value)));
  expect(named.length).toBeGreaterThan(15);
  const nameless = named.filter(({ name }) => !name?.value).map(({ role }) => String(role?.value));
  expect(nameless).toEqual([]);
});

it('what arrives is announced to those who listen', async () => {
  const skein = await startSkein({ home: tempDir() });
  const { page } = await visit(skein.pageUrl);
  const announcer = page.locator('#announcer[aria-live=polite]');
  expect(await announcer.textContent()).toBe('');
  await write(page, 'channel', 'hello');
  await eventually(() => announcer.textContent()).toMatch(/^Skein: Hello!/);
});

it.each(['light', 'dark'] as const)(
  'every text stands out from its ground in the %s theme',
  async (theme) => {
    const { page } = await visitThread(theme);
    await page.locator('#composer-thread').pressSequentially('/s');
    await page.locator('[role=option]').first().waitFor();
    expect(await measure(page, 'textCount')).toBeGreaterThan(30);
    expect(await measure(page, 'faintTexts')).toEqual([]);

    await page.goto(new URL('/c/empty', page.url()).href);
    await page.getByRole('heading', { name: 'Say what you need' }).waitFor();
    expect(await measure(page, 'faintTexts')).toEqual([]);
  },
);

it('the theme is the system’s until the reader chooses another, and the choice stays', async () => {
  const skein = await startSkein({ home: tempDir() });
  const { page } = await visit(skein.pageUrl, { look: { ...DESKTOP, colorScheme: 'dark' } });
  const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const dark = await ground();
  const toggle = page.getByRole('button', { name: 'Theme: automatic' });
  await toggle.click();
  await page.getByRole('button', { name: 'Theme: light' }).waitFor();
  const light = await ground();
  expect(light).not.toBe(dark);
  await page.reload();
  await page.getByRole('button', { name: 'Theme: light' }).waitFor();
  expect(await ground()).toBe(light);
});
