import { loadavg } from 'node:os';
import { chromium, type Browser } from 'playwright-core';
import { serveApi } from '../test/support/api.ts';
import { browserOptions } from '../test/support/chromium.ts';
import { machine, print, recordText, table } from './report.ts';

/**
 * How soon `/_docs` of an API with 100 resources can be used, in a real browser without a graphics card: until the first
 * operation is shown and its request can be sent, and until another one is found and shown. Adds the result to RESULTS.md,
 * unless it is run with `--no-record`.
 */
const visits = 7;
const name = (at: number): string => `records${Math.floor(at)}`;
const resources = Array.from(
  { length: 100 },
  (_, at) => `  ${name(at)}:
    fields:
      title: { type: string, required: true }
      body: { type: text }
      status: { type: string, enum: [draft, review, done] }
      amount: { type: decimal, precision: 10, scale: 2 }
      position: { type: integer }
      isPublic: { type: boolean }
      dueOn: { type: date }
      placedAt: { type: datetime }
      parentId: { type: integer, reference: ${name(at / 2)}.id }
      parent: { type: relation, relation: belongsTo, resource: ${name(at / 2)} }`,
);
const api = await serveApi(`name: Large\nresources:\n${resources.join('\n')}\n`, {}, undefined, {
  mode: 'dev',
});

interface Visit {
  readonly shown: number;
  readonly busy: number;
  readonly found: number;
}

/** A visit with an empty cache: times in ms, and the processor time of the page's thread until it can be used. */
async function visit(browser: Browser): Promise<Visit> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(60_000);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const begin = performance.now();
  await page.goto(`${api.url}/_docs`);
  await page.getByRole('heading', { level: 1, name: 'List records0' }).waitFor();
  await page.getByRole('button', { name: 'Send' }).click({ trial: true });
  const shown = performance.now() - begin;
  const { metrics } = await session.send('Performance.getMetrics');
  const busy = (metrics.find((one) => one.name === 'TaskDuration')?.value ?? 0) * 1_000;
  const search = performance.now();
  await page.getByRole('searchbox').fill('delete one records77');
  await page.getByRole('link', { name: /Delete one of records77$/u }).click();
  await page.getByRole('heading', { level: 1, name: 'Delete one of records77' }).waitFor();
  const found = performance.now() - search;
  await page.close();
  return { shown, busy, found };
}

const browser = await chromium.launch(browserOptions());
try {
  const all: Visit[] = [];
  for (let at = 0; at < visits; at += 1) all.push(await visit(browser));
  // The first visit makes the documents, which the server keeps.
  const rest = all.slice(1);
  const figures = (key: keyof Visit): readonly string[] => {
    const sorted = rest.map((one) => one[key]).toSorted((a, b) => a - b);
    const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
    return [all[0]?.[key] ?? 0, at(0.5), at(1)].map((time) => time.toFixed(0));
  };
  const [load = 0] = loadavg();
  const text = [
    `\`npm run bench:reference\`: Chromium ${browser.version()} without a graphics card; ${machine()}; ${load.toFixed(0)} processes wanted to run. \`/_docs\` of 100 resources, without a cache, ${visits} visits.`,
    '',
    ...table(
      ['what, in ms', 'first visit', 'middle of the others', 'longest of them'],
      [
        ['the first operation can be sent; wanted 2,000', ...figures('shown')],
        ['processor time of the page until then', ...figures('busy')],
        ['an operation among all is found and shown', ...figures('found')],
      ],
    ),
  ].join('\n');
  print(text);
  if (!process.argv.includes('--no-record')) await recordText(text, 'reference');
} finally {
  await browser.close();
  await api.stop();
}
