import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { browserOptions } from './chromium.ts';
import { recorded, type Recording } from './page-report.ts';

/** In ms: less than a test may take, so that it says what it has waited for; however busy the machine is. */
const waiting = 60_000;

export type ColorScheme = 'light' | 'dark';

export interface PageOptions {
  readonly colorScheme?: ColorScheme;
  readonly width?: number;
  readonly height?: number;
  readonly moves?: boolean;
}

/**
 * Opens pages of one browser for the tests of a file, which are closed after each. Whoever looks at them prefers little
 * motion, so that menus and dialogs are there at once; `moves` has them come and go as for everybody. If a test fails, a
 * further error tells the state of its pages.
 */
export function usePages(): (url: string, options?: PageOptions) => Promise<Page> {
  let browser: Browser | undefined;
  const pages: (readonly [Page, Recording])[] = [];
  beforeAll(async () => {
    browser = await chromium.launch(browserOptions());
  });
  afterEach(async ({ task }) => {
    const reports: string[] = [];
    for (const [page, recording] of pages.splice(0)) {
      if (task.result?.state === 'fail') reports.push(await recording.report());
      await page.context().close();
    }
    if (reports.length > 0)
      throw new Error(`The page when the test failed:\n${reports.join('\n\n')}`);
  });
  afterAll(() => browser?.close());
  return async (url, options = {}) => {
    const { colorScheme = 'light', width = 1280, height = 900, moves = false } = options;
    if (browser === undefined) throw new Error('Pages are opened within tests');
    const context = await browser.newContext({
      colorScheme,
      viewport: { width, height },
      reducedMotion: moves ? 'no-preference' : 'reduce',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(waiting);
    // From the start: `waitForEvent('filechooser')` does not wait until the page knows that its file chooser is taken over,
    // and a key that a slow page gets before that opens one that nothing answers.
    page.on('filechooser', () => undefined);
    pages.push([page, await recorded(page)]);
    await page.goto(url);
    return page;
  };
}

/** What the page has complained of: scripts that failed, and all that its policy or the network refused. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return complaints;
}

/** Asks again and again: for what the page, or the server behind it, does in its own time. */
export const eventually = <Value>(ask: () => Value) => expect.poll(ask, { timeout: waiting });

/** Waits until the page is as it will stay: what fades in has come, and nothing loads. */
export async function settled(page: Page): Promise<void> {
  await page.getByLabel('Loading').first().waitFor({ state: 'detached' });
  await page.evaluate(`(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const moving = () => document.getAnimations().filter((one) =>
      one.playState === 'running' && one.effect.getComputedTiming().endTime !== Infinity);
    // What begins with this frame is known in the next one.
    for (let still = 0; still < 3; still = moving().length === 0 ? still + 1 : 0) await frame();
  })()`);
}

/**
 * Looks at states of a page, one after another, each in all these colours: no rule of accessibility may be broken. A state
 * begins with the colours in which the one before was seen last, because changing them takes long.
 */
export function colourWalk(
  page: Page,
  schemes: readonly ColorScheme[],
): (state: string, seen?: (scheme: ColorScheme) => Promise<unknown>) => Promise<void> {
  let inTurn = schemes;
  return async (state, seen) => {
    for (const [turn, colorScheme] of inTurn.entries()) {
      await page.emulateMedia({ colorScheme });
      // In other colours the rest is the same.
      const found = await violationsOn(page, turn === 0 ? 'all' : 'colours');
      expect.soft(found, `${state} ${colorScheme}`).toEqual([]);
      await seen?.(colorScheme);
    }
    inTurn = inTurn.toReversed();
  };
}

/** The rules whose answer may change when only the colours do. */
const rulesOfColours = ['color-contrast', 'link-in-text-block'];

/**
 * The rules of accessibility (WCAG A and AA, and good practice) that the page breaks once it is still, and where: text
 * that fades in has hardly any contrast. Asked for the colours alone, it is a page that has been asked for all before,
 * and shows the same in other colours.
 */
export async function violationsOn(
  page: Page,
  which: 'all' | 'colours' = 'all',
): Promise<readonly string[]> {
  await settled(page);
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe.source);
  // What is not told is not worked out either: it is most of the time that it takes.
  const options = {
    resultTypes: ['violations'],
    selectors: false,
    preload: false,
    ...(which === 'colours' ? { runOnly: rulesOfColours } : {}),
  };
  const found = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) =>
      id + ': ' + nodes.map(({ html, failureSummary }) => html.slice(0, 160) + ' ' + failureSummary).join(' | ')))`,
  );
  return found as readonly string[];
}
