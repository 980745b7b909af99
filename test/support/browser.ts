/**
 * A person at a browser: a real Chromium with one page open. Whatever the page complains of in its console is remembered,
 * and fails the test in the end unless the test said that it would come.
 */
import { fileURLToPath } from 'node:url';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { CHROMIUM_COMMAND, findChromium } from './chromium.ts';

const ARGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const probe = fileURLToPath(new URL('page-probe.js', import.meta.url));
const PATIENCE_MS = 15_000;

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** How many documents were loaded so far. */
  loads(): number;
}

export const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
export const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};

/** `expected`: complaints that belong to what is tested. */
export async function visit(
  url: string,
  { look = DESKTOP, expected }: { readonly look?: BrowserContextOptions; readonly expected?: RegExp } = {},
): Promise<Visit> {
  const executablePath = findChromium(process.env);
  if (executablePath === undefined) throw new Error(`There is no Chromium here. Run: ${CHROMIUM_COMMAND}`);
  const browser = await chromium.launch({ executablePath, args: ARGS });
  const complaints: string[] = [];
  onTestFinished(async () => {
    await browser.close();
    expect(complaints.filter((words) => !expected?.test(words))).toEqual([]);
  });
  const context = await browser.newContext(look);
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript({ path: probe });
  const page = await context.newPage();
  let loads = 0;
  page.on('domcontentloaded', () => {
    loads += 1;
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(url);
  return { page, context, loads: () => loads };
}

type Composer = 'channel' | 'thread';

/** Types into the composer and presses Enter. Not for commands: their completions would have a say in it. */
export async function write(page: Page, where: Composer, text: string): Promise<void> {
  const field = page.locator(`#composer-${where}`);
  await field.fill(text);
  await field.press('Enter');
}

/** The list of messages of the channel or the open thread. */
export function messagesIn(page: Page, where: Composer) {
  return page.locator(`.${where}-pane [data-messages] > li`);
}

/** Waits until the value is as expected, and shows the last one when the time is up. */
export const eventually = <T>(value: () => T | Promise<T>) =>
  expect.poll(value, { timeout: PATIENCE_MS, interval: 50 });

/** Neither a card at work, a typing sign nor the preview of a reply is left anywhere. */
export async function expectQuiet(page: Page): Promise<void> {
  await eventually(() =>
    page
      .locator(
        '.preview, [data-typing]:not([hidden]), .card:is([data-state="opening"], [data-state="queued"], [data-state="running"], [data-state="waiting"])',
      )
      .allTextContents(),
  ).toEqual([]);
}

interface Measures {
  faintTexts: readonly { readonly text: string; readonly contrast: number }[];
  textCount: number;
  controls: readonly string[];
  focused: { readonly name: string; readonly isSeen: boolean };
  overflows: readonly { readonly part: string; readonly px: number }[];
}

/** What test/support/page-probe.js measures. */
export function measure<K extends keyof Measures>(page: Page, what: K): Promise<Measures[K]> {
  return page.evaluate(`pageProbe.${what}()`);
}
