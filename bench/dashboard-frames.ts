import { chromium, type Page } from 'playwright-core';
import { browserOptions } from '../test/support/chromium.ts';
import { serveApi } from '../test/support/api.ts';

/**
 * Frame times of the dashboard in a real browser, without a graphics card: the list of 1,000 requests scrolled while more
 * come, and the schema of 100 resources moved, zoomed and focused.
 */
const resources = Array.from({ length: 100 }, (_, at) => {
  const key = at < 10 ? '' : `, upId: { type: integer, reference: t${at % 10}.id }`;
  return `  t${at}: { fields: { name: { type: string }, note: { type: text }${key} } }`;
});
const api = await serveApi(`resources:\n${resources.join('\n')}\n`, {}, undefined, { mode: 'dev' });
const browser = await chromium.launch(browserOptions());

/** The times between frames while something is done, in ms. */
async function framesOf(page: Page, work: () => Promise<void>): Promise<readonly number[]> {
  await page.evaluate(`(() => {
    globalThis.frames = [];
    let last = performance.now();
    const next = (now) => { globalThis.frames.push(now - last); last = now; globalThis.ticking = requestAnimationFrame(next); };
    globalThis.ticking = requestAnimationFrame(next);
  })()`);
  await work();
  return page.evaluate('cancelAnimationFrame(globalThis.ticking), globalThis.frames.slice(1)');
}

function report(name: string, frames: readonly number[]): void {
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (part: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1);
  const late = frames.filter((time) => time > 34).length;
  process.stdout.write(
    `| ${name} | ${frames.length} | ${at(0.5)} | ${at(0.95)} | ${at(1)} | ${late} |\n`,
  );
}

try {
  for (let sent = 0; sent < 1_000; sent += 50)
    await Promise.all(Array.from({ length: 50 }, () => api.get('/v1/t1?limit=1')));
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${api.url}/_dashboard#/requests`);
  await page.getByText('The last 1,000 requests').waitFor();
  await page.getByRole('grid').hover();
  process.stdout.write('| what | frames | p50 ms | p95 ms | longest ms | over 34 ms |\n');
  report(
    '1,000 requests, scrolled',
    await framesOf(page, async () => {
      for (let step = 0; step < 60; step += 1) {
        await page.mouse.wheel(0, 240);
        await page.waitForTimeout(16);
      }
    }),
  );
  report(
    '1,000 requests, 20 more a second',
    await framesOf(page, async () => {
      for (let step = 0; step < 40; step += 1) {
        await api.get('/v1/t1?limit=2');
        await page.waitForTimeout(50);
      }
    }),
  );
  await page.goto(`${api.url}/_dashboard#/schema`);
  await page.getByText('100 resources').waitFor();
  await page.locator('article.node').first().waitFor();
  await page.waitForTimeout(1_000);
  report(
    '100 resources, moved',
    await framesOf(page, async () => {
      await page.mouse.move(700, 880);
      await page.mouse.down();
      for (let step = 0; step < 60; step += 1) {
        await page.mouse.move(700 - step * 4, 880 - step * 3);
        await page.waitForTimeout(16);
      }
      await page.mouse.up();
    }),
  );
  report(
    '100 resources, zoomed',
    await framesOf(page, async () => {
      for (let step = 0; step < 40; step += 1) {
        await page.mouse.wheel(0, step < 20 ? -60 : 60);
        await page.waitForTimeout(16);
      }
    }),
  );
} finally {
  await browser.close();
  await api.stop();
}
