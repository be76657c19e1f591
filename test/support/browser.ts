import chromium from '@sparticuz/chromium';
import axe from 'axe-core';
import { chromium as launcher, type Browser, type Page } from 'playwright-core';

/** Starts a real browser: the one that comes as a package. */
export async function openBrowser(): Promise<Browser> {
  return launcher.launch({
    executablePath: await chromium.executablePath(),
    // One process for all would end with the first page.
    args: chromium.args.filter((arg) => arg !== '--single-process'),
  });
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

/** The rules of accessibility (WCAG A and AA, and good practice) that the page breaks, and where. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(
    `axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) =>
      id + ': ' + nodes.map(({ html, failureSummary }) => html.slice(0, 160) + ' ' + failureSummary).join(' | ')))`,
  );
  return found as readonly string[];
}
